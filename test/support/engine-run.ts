// How a test runs the engine by hand; the validation program does it the same way.

export * from '../../validation/engine-run.js';
