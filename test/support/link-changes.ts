// Changes of links as short rows; the validation program writes them the same way.

export * from '../../validation/link-changes.js';
