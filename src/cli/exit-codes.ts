// What the exit code of `weft` means; shown by `weft --help` and in docs/formats/run-directory.md.

export const ExitCode = {
  /** finished, every flow and every check */
  ok: 0,
  /** a check failed, flows did not finish, or the results could not be written */
  failed: 1,
  badInput: 2,
  /** Weft contradicts itself */
  bug: 70,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export const exitCodeHelp = `Exit codes: 0 all flows finished and all checks passed; 1 a check failed, flows
did not finish or results could not be written; 2 bad input; 70 a bug in Weft;
130 stopped with Ctrl-C.`;
