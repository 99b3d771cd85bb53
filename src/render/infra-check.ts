/** The check on a commit that changes cluster files: which set-up commands write where a bucket may not be mounted. */

import type { InfraFinding } from '../care/infra/lint.ts';
import type { Annotation, Effect } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import { cleanLine } from './clean-text.ts';
import { code, count, listed, paragraphs } from './words.ts';

/** Findings in the cluster files that a check's summary lists; as many as GitHub takes as annotations at once. */
const SHOWN_FINDINGS_MAX = 50;
/** Annotations of one check: six requests of the 80 content writes that GitHub allows a minute. */
const ANNOTATIONS_MAX = 300;

type CheckRun = Extract<Effect, { readonly kind: 'put-check-run' }>;
type Code = InfraFinding['code'];

/** One cluster file and what was found in it. */
export type LintedFile = { readonly path: string; readonly findings: readonly InfraFinding[] };

/** What each finding says of its mount point. */
export const INFRA_WORDS: Readonly<Record<Code, string>> = {
  'write-unguarded': 'writes there although nothing may be mounted',
  'not-understood': 'may write there, or let a job write there, and this check cannot tell',
};
/** The gravest first. */
const ORDER: readonly Code[] = ['write-unguarded', 'not-understood'];
const LEVELS: Readonly<Record<Code, Annotation['level']>> = {
  'write-unguarded': 'failure',
  'not-understood': 'notice',
};

/**
 * `failure` = a command writes unguarded; `neutral` = something was not understood or not read; else `success`. `unread`: how many more files the commit changes.
 */
export function renderInfraCheck(
  files: readonly LintedFile[],
  unread: number,
): Pick<CheckRun, 'title' | 'summary' | 'conclusion' | 'annotations'> {
  const all = files.flatMap(({ path, findings }) => findings.map((finding) => ({ path, finding })));
  const numberOf = (wanted: Code): number => all.filter(({ finding }) => finding.code === wanted).length;
  const lines = all.map(({ path, finding }) => findingLine(path, finding));
  const more = lines.length - SHOWN_FINDINGS_MAX;
  const gravest = new Set(
    all
      .toSorted((a, b) => ORDER.indexOf(a.finding.code) - ORDER.indexOf(b.finding.code))
      .slice(0, ANNOTATIONS_MAX),
  );
  const shown = all.filter((one) => gravest.has(one));
  const leftOut = all.length - shown.length;
  const isFine = all.length + unread === 0;
  return {
    title: isFine ? 'No set-up command writes where a bucket may not be mounted' : titleOf(numberOf, unread),
    summary: paragraphs(
      `Read: ${files.length === 0 ? 'nothing' : listed(files.map(({ path }) => code(path)))}.`,
      lines.length === 0 ? null : lines.slice(0, SHOWN_FINDINGS_MAX).join('\n'),
      more > 0 ? `${more} more: ${code('npx ferrybot check-infra')} lists them all.` : null,
      leftOut > 0
        ? `${count(leftOut, 'finding')} of ${all.length} left out beside the code, the least grave.`
        : null,
      unread > 0 ? `${count(unread, 'more changed file')} not read: that is unknown, not fine.` : null,
      isFine
        ? null
        : `Where a mount failed, what is written below its folder fills the boot disk. Put \`mountpoint -q FOLDER || exit 1\` after the mount and before the first write. No launch waits for this check.`,
    ),
    conclusion: isFine ? 'success' : numberOf('write-unguarded') > 0 ? 'failure' : 'neutral',
    annotations: shown.map(({ path, finding }) => annotationOf(path, finding)),
  };
}

function titleOf(numberOf: (wanted: Code) => number, unread: number): string {
  const said: readonly (readonly [number, string])[] = [
    [numberOf('write-unguarded'), 'unguarded write'],
    [numberOf('not-understood'), 'place not understood'],
    [unread, 'file not read'],
  ];
  const many: Readonly<Record<string, string>> = {
    'place not understood': 'places not understood',
    'file not read': 'files not read',
  };
  return `Set-up commands: ${listed(said.flatMap(([number, one]) => (number === 0 ? [] : [count(number, one, many[one])])))}`;
}

function findingLine(path: string, { line, code: found, mountPoint, what }: InfraFinding): string {
  return `- ${code(path)} line ${line}: ${code(mountPoint)}: ${INFRA_WORDS[found]}: ${code(what)}`;
}

/** Annotations are plain text: GitHub shows them as they are. */
function annotationOf(path: string, { line, code: found, mountPoint, what }: InfraFinding): Annotation {
  return {
    path,
    line,
    level: LEVELS[found],
    title: cleanLine(mountPoint, limits.titleCharsMax),
    message: cleanLine(`${INFRA_WORDS[found]}: ${what}`, limits.shownBlockCharsMax),
  };
}
