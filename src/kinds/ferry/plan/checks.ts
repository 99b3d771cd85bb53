/** The lab's own checks on an edit of ours before it is pushed (policy AG-03): pre-commit, type check, tests. */

import { cutText, cutTextFromEnd } from '../../../domain/cut-text.ts';
import type { Sha } from '../../../domain/ids.ts';
import { limits } from '../../../domain/limits.ts';
import type { AskedFor, PlanWork, TreeResult } from '../../../run/proposing.ts';
import { type Failed, type Nothing, nothing, stillRunning } from '../../../run/proposing.ts';
import { ferryLane } from '../settings.ts';

/** The end of a check's output that people are shown: where the reason stands. */
const CHECK_OUTPUT_SHOWN_CHARS = 1_500;

type Edited = {
  readonly base: Sha;
  readonly path: string;
  readonly text: string;
  readonly isChanged: boolean;
};

/** What the lab's checks found; `missing`: programs of the repository's own checks that this machine does not have. */
export type Checked = { readonly kind: 'passed'; readonly missing: readonly string[] };

/** An edit that changes nothing is what the branch has already, and was checked there. Throws `GitError`. */
export async function checked(
  open: PlanWork,
  asked: AskedFor,
  edit: Edited,
): Promise<Checked | Nothing | Failed> {
  const { checksBeforePush } = ferryLane(open.config.lane);
  const isStanding = checksBeforePush === 'repository';
  if (!edit.isChanged) return { kind: 'passed', missing: [] };
  let commands = isStanding ? await standingChecks(open, edit) : checksBeforePush;
  const missing: string[] = [];
  while (commands.length > 0) {
    const failed = await open.lab.helpers.check({
      asked,
      git: open.git,
      commit: edit.base,
      files: { [edit.path]: edit.text },
      commands,
    });
    // rule AG-03
    if (failed === null) break;
    if ('kind' in failed) return stillRunning('the lab’s checks');
    // Nobody named this program: where it is not there, the checks of the pull request have the word.
    if (!isStanding || failed.result.kind !== 'not-started') return refused(open, failed);
    const [program = ''] = failed.command;
    missing.push(program);
    commands = commands.filter(([one]) => one !== program);
  }
  return { kind: 'passed', missing };
}

function refused(open: PlanWork, { command, result }: NonNullable<TreeResult>): Nothing {
  const output = open.redact(`${result.stdout}\n${result.stderr}`.trim());
  const how =
    result.kind === 'exited' ? `exit code ${result.exitCode}` : `${result.kind} ${result.code ?? ''}`;
  return nothing(
    'checks-failed',
    `${cutText(command.join(' '), limits.shownTextCharsMax)}: ${how.trim()}\n${cutTextFromEnd(output, CHECK_OUTPUT_SHOWN_CHARS)}`.toWellFormed(),
  );
}

/** What the repository itself is set up for at this commit of its default branch: its pre-commit, its type check, and that Python takes the file. */
async function standingChecks(
  { git, config, defaultBranch }: PlanWork,
  { base, path }: Edited,
): Promise<readonly (readonly string[])[]> {
  // Isolated: a `py_compile.py` of the branch is not what is asked.
  const parsed = ['python3', '-I', '-m', 'py_compile', path];
  // Both run code of the branch beside the key that decides: of another branch nobody said that they may.
  if (config.lane.targetBranch !== defaultBranch) return [parsed];
  const has = async (file: string): Promise<boolean> => (await git.treeId(base, file)) !== null;
  const own = (await has('uv.lock')) ? ['uv', 'run'] : [];
  const python = own.length > 0 ? [...own, 'python'] : ['python3'];
  const settings = (await git.readText(base, 'pyproject.toml')) ?? '';
  const isTyped = /^\[tool\.mypy[.\]]/m.test(settings) || (await has('mypy.ini'));
  return [
    parsed,
    ...((await has('infra/pre-commit.py'))
      ? [[...python, 'infra/pre-commit.py', '--all-files']]
      : (await has('.pre-commit-config.yaml'))
        ? [[...own, 'pre-commit', 'run', '--files', path]]
        : []),
    // rule AG-23
    ...(isTyped ? [[...own, 'mypy', path]] : []),
  ];
}
