/** Job details recorded from Ray 2.60: which fields are kept, and that environment variables are not. */

import { describe, expect, it } from 'vitest';
import { IN_VARIABLES, readJobDetails } from '../../src/engines/ray/job-details.ts';
import { identityFields } from '../../src/engines/shared/kit.ts';

const OURS = { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'b'.repeat(64)}` };
const LIVE = {
  type: 'SUBMISSION',
  job_id: '01000000',
  submission_id: 'job1',
  driver_info: { id: '01000000', node_ip_address: '10.0.0.3', pid: '4711' },
  status: 'FAILED',
  entrypoint: 'python3 experiments/a.py --key hunter22',
  message: 'Job entrypoint command failed with exit code 1, last available logs: key=hunter22',
  error_type: 'JOB_ENTRYPOINT_COMMAND_ERROR',
  start_time: 1795255133991,
  end_time: 1795255139991,
  metadata: {},
  runtime_env: {
    working_dir: 'gcs://_ray_pkg_2b.zip',
    env_vars: { HF_TOKEN: 'hunter22', ...identityFields(OURS, IN_VARIABLES) },
  },
  driver_agent_http_address: 'http://192.0.2.2:52365',
  driver_node_id: '2584cdca',
  driver_exit_code: 1,
  retry_policy: null,
};
const scrub = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text);

describe('the details of a Ray job', () => {
  it('keep what a person needs and no environment variable', () => {
    const job = readJobDetails(LIVE, 'session_1', scrub);
    expect(job).toEqual({
      submissionId: 'job1',
      rayJobId: '01000000',
      origin: { submitter: null, entrypoint: 'python3 experiments/a.py --key ***', gitCommit: null },
      found: {
        kind: 'found',
        status: 'FAILED',
        message: 'Job entrypoint command failed with exit code 1, last available logs: key=***',
        errorType: 'JOB_ENTRYPOINT_COMMAND_ERROR',
        exitCode: 1,
        startedAtMs: 1795255133991,
        endedAtMs: 1795255139991,
        metadata: OURS,
        session: 'session_1',
        details: { type: 'SUBMISSION', driverNode: '2584cdca', driverIp: '10.0.0.3', driverPid: '4711' },
      },
    });
  });

  it('name the submitter and commit of a manual launch when its script recorded them', () => {
    const commit = 'c0ffee'.padEnd(40, '0');
    const originOf = (more: object) => readJobDetails({ ...LIVE, ...more }, null, scrub)?.origin;
    const variables = (text: string) => ({ runtime_env: { env_vars: { GIT_COMMIT: text } } });
    expect(originOf({ submission_id: 'ray-run-held-sweep-20260131-051716', ...variables(commit) })).toMatchObject({
      submitter: 'held',
      gitCommit: commit,
    });
    for (const no of ['main', commit.slice(1), `${commit}0`, `\n${commit}`])
      expect(originOf(variables(no))?.gitCommit).toBeNull();
    expect(originOf({ submission_id: 'raysubmit_a-b', entrypoint: null })).toMatchObject({
      submitter: null,
      entrypoint: null,
    });
  });

  it('contain no half of a secret when Ray truncated the log inside it', () => {
    const told = (log: string, variables: object = { A: 'first-half-second-half' }): string => {
      const message = `Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\n${log.slice(-20_000)}`;
      const job = readJobDetails({ ...LIVE, message, runtime_env: { env_vars: variables } }, null, scrub);
      return job?.found.message ?? '';
    };
    const secret = 'first-half-second-half';
    const rest = ` and more\nlast ${'x'.repeat(19_950)}\n`;
    const cut = `${secret}${rest}`;
    for (let less = 0; less < 40; less += 1) expect(told(cut.slice(0, cut.length - less))).not.toMatch(/half/);
    expect(told(cut)).toContain('\nlast xxx');
    // With only one line, no part is certain to be complete.
    expect(told(`${secret}${'x'.repeat(19_990)}`)).toMatch(/20,000 chars\):$/);
    // A log that Ray has not truncated is shown whole.
    expect(told(`a\n${secret}\nb\n`)).toMatch(/:\na\n\*\*\*\nb\n$/);
    expect(told('x line-of-the-key-2 y\n', { K: 'line-of-the-key-1\nline-of-the-key-2\n' })).toMatch(/x \*\*\* y\n$/);
  });

  it('leave fields empty for a job that has not started', () => {
    const pending = { type: 'SUBMISSION', submission_id: 'job1', status: 'PENDING', driver_info: null };
    expect(readJobDetails(pending, null, scrub)?.found).toMatchObject({
      message: '',
      exitCode: null,
      startedAtMs: null,
      metadata: null,
      details: { type: 'SUBMISSION' },
    });
  });
});
