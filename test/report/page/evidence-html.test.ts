// The evidence below a verdict: findings of a diagnosis, as a run's summary has them.

import { expect, it } from 'vitest';
import { evidenceHtml } from '../../../src/report/page/evidence-html.js';
import type { ReportRun } from '../../../src/report/page/report-run.js';

const runWith = (summary: object): ReportRun => ({ label: 'a', summary }) as unknown as ReportRun;

it('findings stand with their link and what to try, and names are no markup', () => {
  const finding = {
    cause: 'slow-part',
    share: 0.5,
    lostNs: 1500,
    suggestion: 'mend it',
    links: [{ from: 'leaf<0>', to: 'host[3]' }],
  };
  const html = evidenceHtml([runWith({ findings: [finding] })]);
  expect(html).toContain('A host or link slower than its kind');
  expect(html).toContain('Most on leaf&lt;0&gt; to host[3]. To try: mend it');
  expect(html).toMatch(/50\.0 %.*1\.5us/);
  expect(evidenceHtml([runWith({ findings: null })])).toBe('');
});
