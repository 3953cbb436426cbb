// What `--report` says in the help of every command that has it.

export const reportHelp = 'also write a page with charts about it (docs/report.md)';
