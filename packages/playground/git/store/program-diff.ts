/** The changed files between two trees, computed by the git program. */

import type { GitProgram } from './git-program.ts';
import type { FileChange, Sha } from './git-store.ts';

/** What `git diff-tree -r -M` lists between two trees, with patches; ordered by (new) path. */
export async function programDiff(git: GitProgram, before: Sha, after: Sha): Promise<readonly FileChange[]> {
  const [raw, patches] = await Promise.all([
    git.read(['diff-tree', '-r', '-M', '--raw', '-z', '--no-abbrev', before, after]),
    git.read(['diff-tree', ...patchOptions, before, after]),
  ]);
  const entries = parseRaw(raw.toString('utf8'));
  const sections = patches.toString('latin1').split(/^(?=diff --git )/m);
  // An empty text splits into one empty section.
  if (sections[0] === '') sections.shift();
  const changes = entries.map(({ kind, ...change }) => ({
    ...change,
    // A path that changes its type is printed as a removal and an addition.
    ...buildPatch(sections.splice(0, kind === 'T' ? 2 : 1)),
  }));
  if (sections.length !== 0) throw new Error(`git printed ${sections.length} patches too many`);
  return changes;
}

// --minimal: otherwise git may print a longer edit when lines repeat, and implementations differ.
const patchOptions = [
  ...['-r', '-M', '-p', '--minimal', '--unified=3', '--full-index'],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'],
];

type RawEntry = Pick<FileChange, 'path' | 'previousPath' | 'status' | 'blobSha'> & { readonly kind: string };

function parseRaw(text: string): readonly RawEntry[] {
  const fields = text.split('\0').values();
  const entries: RawEntry[] = [];
  for (const header of fields) {
    if (header === '') break;
    const [, newMode = '', oldSha = '', newSha = '', score = ''] = header.slice(1).split(' ');
    const kind = score.slice(0, 1);
    const first = nextField(fields);
    const path = kind === 'R' ? nextField(fields) : first;
    const mode = kind === 'D' ? header.slice(1, 7) : newMode;
    entries.push({
      kind,
      path,
      previousPath: kind === 'R' ? first : null,
      status: changeStatus(kind),
      blobSha: mode === '160000' ? null : kind === 'D' ? oldSha : newSha,
    });
  }
  return entries;
}

function nextField(fields: Iterator<string>): string {
  const { value, done } = fields.next();
  if (done === true || typeof value !== 'string') throw new Error('git printed a torn list of changes');
  return value;
}

function changeStatus(kind: string): FileChange['status'] {
  switch (kind) {
    case 'A':
      return 'added';
    case 'D':
      return 'removed';
    case 'R':
      return 'renamed';
    case 'M':
    case 'T':
      return 'modified';
    default:
      throw new Error(`git printed an unknown kind of change: ${kind}`);
  }
}

function buildPatch(sections: readonly string[]): Pick<FileChange, 'additions' | 'deletions' | 'patch'> {
  const hunks = sections.flatMap((section) => {
    const start = section.search(/^@@ /m);
    return start < 0 ? [] : [section.slice(start).replace(/\n$/, '')];
  });
  const lines = hunks.join('\n').split('\n');
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    patch: hunks.length === 0 ? null : Buffer.from(hunks.join('\n'), 'latin1').toString('utf8'),
  };
}
