/**
 * The check of cluster files on any YAML: it never throws, every finding names the line of its command, and
 * typical lab files have only the mount finding.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { lintClusterFile } from '../../src/care/infra/lint.ts';

/** Ways to write one command as an item of a list; `at` is the line offset of the command. */
const STYLES = [
  { write: (command: string) => [`  - ${command}`], at: 0 },
  { write: (command: string) => [`  - '${command}'`], at: 0 },
  { write: (command: string) => [`  - "${command}"  # why`], at: 0 },
  { write: (command: string) => ['  -', `    ${command}`], at: 1 },
  { write: (command: string) => ['  - |', `    ${command}`], at: 1 },
  { write: (command: string) => ['  - |-', '    true', `    ${command}`], at: 2 },
  { write: (command: string) => ['  - |', '', '    # first', '    true', '', `    ${command}`], at: 5 },
  { write: (command: string) => ['  - >-', `    ${command}`], at: 1 },
] as const;

/** Lines between items without meaning. */
const filler = fc.constantFrom<readonly string[]>([], [''], ['  # a comment: touch /tmp/m/none'], ['', '']);
const benign = fc.constantFrom(
  'gcloud config set project lab',
  'mkdir $HOME/.cache/x -p',
  'rm -rf /tmp/ray/session_*/runtime_resources/',
  'sudo chmod 666 /var/run/docker.sock',
  'ls /tmp/m',
);
const item = fc.record({
  style: fc.constantFrom(...STYLES),
  command: fc.oneof(benign, fc.constant('touch /tmp/m/x')),
  before: filler,
});

describe('the check of cluster files', () => {
  it('names the line of each writing command, in any YAML style', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), filler, (items, end, head) => {
        const lines = [...head, 'cluster_name: x', 'setup_commands:'];
        const expected: number[] = [];
        for (const { style, command, before } of items) {
          lines.push(...before);
          if (command.startsWith('touch')) expected.push(lines.length + style.at + 1);
          lines.push(...style.write(command));
        }
        const linted = lintClusterFile(`${lines.join(end)}${end}`, ['/tmp/m']);
        expect(linted.map(({ code, line }) => ({ code, line }))).toEqual(
          expected.map((line) => ({ code: 'write-unguarded', line })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('accepts any YAML or text, and every finding names a line of the file', () => {
    const key = fc.constantFrom('setup_commands', 'initialization_commands', 'worker_setup_commands', 'x');
    const files = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })).map((value) => stringify(value)),
      fc.dictionary(key, fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }))).map((value) => stringify(value)),
    );
    fc.assert(
      fc.property(files, (text) => {
        const lines = lintClusterFile(text, ['/tmp/m']).map(({ line }) => line);
        const last = text.split(/\r\n|\r|\n/).length;
        for (const line of lines) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(last);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('finds only the unchecked mount in a typical lab file', () => {
    const text = `cluster_name: lab-vllm
provider: { type: gcp, region: us-central1 }
docker:
  worker_run_options:
    - -v
    - "/tmp:/tmp"
initialization_commands:
  - which docker || (curl -fsSL https://get.docker.com -o get-docker.sh; sudo sh get-docker.sh; sudo systemctl restart docker -f)
  - yes | gcloud auth configure-docker us-central1-docker.pkg.dev
  - sudo usermod -aG docker $USER
setup_commands:
  - mkdir $HOME/.cache/huggingface -p
  - mkdir -p $HOME/.ssh && gcloud compute project-info describe --format="value(items[?key==\\"ssh-keys\\"].value)" > $HOME/.ssh/authorized_keys && chmod 600 $HOME/.ssh/authorized_keys
  - gcloud secrets versions access latest --secret=HF_TOKEN > $HOME/.cache/huggingface/token
  - echo 'export BUCKET="lab-us-central1"' >> $HOME/.bashrc
  - gcsfuse --implicit-dirs --cache-dir /dev/shm --only-dir gcsfuse_mount $BUCKET /tmp/gcsfuse_mount MOUNT_END
worker_setup_commands:
  - rm -rf /tmp/ray/session_*/runtime_resources/
available_node_types:
  head_default: { min_workers: 0 }
`;
    const codes = (file: string): unknown =>
      lintClusterFile(file, ['/tmp/gcsfuse_mount']).map(({ code, line }) => `${code}@${line}`);
    expect(codes(text.replace(' MOUNT_END', ' || true'))).toEqual(['not-understood@16']);
    expect(codes(text.replace(' MOUNT_END', ''))).toEqual([]);
    expect(codes(text.replace(' MOUNT_END', ' || exit 1'))).toEqual([]);
  });
});
