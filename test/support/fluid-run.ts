// How tests run the fluid backend: as the validation does.

export * from '../../validation/fluid-run.js';
