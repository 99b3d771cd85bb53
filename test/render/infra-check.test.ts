/** The texts of the check on cluster files, one snapshot for each outcome. */

import { describe, expect, it } from 'vitest';
import { renderInfraCheck } from '../../src/render/check.ts';

const path = 'infra/us-central1.yaml';
const mountPoint = '/tmp/gcsfuse_mount';
const write = { code: 'write-unguarded', mountPoint, line: 9, what: 'mkdir -p /tmp/gcsfuse_mount/x' } as const;
const loop = { code: 'not-understood', mountPoint, line: 12, what: 'for' } as const;

describe('the check on cluster files', () => {
  it('succeeds without findings', () => {
    expect(renderInfraCheck([{ path, findings: [] }], 0)).toMatchSnapshot();
  });

  it('fails for an unguarded write', () => {
    expect(renderInfraCheck([{ path, findings: [loop, write] }], 0)).toMatchSnapshot();
  });

  it('is neutral, with an explanation, if a file was not understood or not read', () => {
    expect(renderInfraCheck([{ path, findings: [loop, loop] }], 2)).toMatchSnapshot();
    expect(renderInfraCheck([], 1)).toMatchObject({ conclusion: 'neutral' });
  });

  it('shows a limited number of findings, unguarded writes first, and counts the rest', () => {
    const findings = [...Array(30).fill(loop), ...Array(40).fill(write)];
    const { summary, annotations } = renderInfraCheck([{ path, findings }], 0);
    expect(summary.match(/^- /gm)).toHaveLength(50);
    expect(summary).toContain('20 more: `npx ferrybot check-infra` lists them all.');
    expect(annotations).toHaveLength(50);
    expect(annotations.filter(({ level }) => level === 'failure')).toHaveLength(40);
  });

  it('escapes file content so that it is neither markup nor a mention', () => {
    const what = '`</details>@ada` | **x**\u202e';
    const { summary, annotations } = renderInfraCheck([{ path, findings: [{ ...write, what }] }], 0);
    expect(summary).not.toContain('\u202e');
    expect(summary.split('\n').filter((line) => line.startsWith('- '))).toMatchSnapshot();
    expect(annotations[0]?.message).not.toContain('\u202e');
  });
});
