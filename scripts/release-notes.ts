/** `node scripts/release-notes.ts TAG COMMIT`: the words of a release: its part of the changelog, what a lab pins, and how to check the bundle. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const [tag = '', commit = ''] = process.argv.slice(2);
process.exitCode = main();

function main(): number {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (version === undefined || !/^[0-9a-f]{40}$/.test(commit))
    return refused('usage: node scripts/release-notes.ts vX.Y.Z <full commit>', 2);
  const ours: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (!(ours instanceof Object && 'version' in ours && ours.version === version))
    return refused(`package.json has not the version ${version}`, 1);
  const changes = partOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if (changes === null) return refused(`CHANGELOG.md has no part \`## ${version}\` with words in it`, 1);
  process.stdout.write(`${changes}\n\n${pinOf(tag, commit)}\n`);
  return 0;
}

/** What stands below the version's heading; null where there is none, or nothing. */
function partOf(changelog: string, version: string): string | null {
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find((text) => text.split(/[\s,]/)[0] === version);
  const words = part?.slice(part.indexOf('\n') + 1).trim() ?? '';
  return words === '' ? null : words;
}

function pinOf(name: string, sha: string): string {
  return [
    '## Pin it',
    '',
    '```yaml',
    `uses: ferrybot/ferrybot@${sha} # ${name}`,
    '```',
    '',
    'The release workflow built the bundle from the tag and signed it. In a checkout of the pinned commit:',
    '',
    '```bash',
    'gh attestation verify dist/program.js --repo ferrybot/ferrybot --signer-workflow ferrybot/ferrybot/.github/workflows/release.yml',
    '```',
  ].join('\n');
}

function refused(why: string, code: number): number {
  console.error(why);
  return code;
}
