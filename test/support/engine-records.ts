// How tests read the engine's records; the validation program does it the same way.

export * from '../../validation/engine-records.js';
