/** `/stop run=…` and their like, carried out: the command stands in the journal, and its effect and its answer are one push. */

import { answerCommon } from '../commands/decision.ts';
import { namedRun } from '../commands/named-run.ts';
import { limits } from '../domain/limits.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';
import { readPermission } from '../github/permission.ts';
import { JOURNAL } from '../logbook/rules.ts';
import { answeredDraft } from '../run/command-events.ts';
import { decideNamed } from '../run/decide-named.ts';
import { waitingNamed } from '../run/propose-request.ts';
import type { OpenLab } from './open-lab.ts';
import { contained, inComment, type Trouble } from './trouble.ts';

/** Carries out what waits, oldest first. Gives the threads in which something is to be looked at for it. */
export async function carryOutNamed(open: OpenLab, troubles: Trouble[]): Promise<readonly number[]> {
  const touched: number[] = [];
  for (const command of waitingNamed(open.store.current().journal)) {
    const where = inComment(open, command.thread, { surface: command.surface, id: command.comment });
    const threads = await contained(open, troubles, where, () => carriedOut(open, command));
    touched.push(...(threads ?? []));
  }
  return touched;
}

async function carriedOut(open: OpenLab, command: SeenCommand): Promise<readonly number[]> {
  const { lab, store, config } = open;
  const run = namedRun(command);
  if (run === null) return [];
  const permission = await readPermission(lab.client, command.actor);
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const record = store.current();
    if (record.journal.commands.get(commandKey(command))?.answer !== null) return [];
    const now = lab.now();
    const { broken, runs: states } = record;
    const decided = broken.some((one) => one.run === run)
      ? answerCommon('logbook-broken', {})
      : decideNamed({ command, run, states, permission, config, now });
    if (decided === null) return [];
    const own = decided.drafts.length === 0 ? [] : [{ run, drafts: decided.drafts }];
    const answer = { run: JOURNAL, drafts: [answeredDraft(command, decided)] } as const;
    const result = await store.appendTogether([...own, answer], now);
    if (result.kind === 'appended') return threadsOf(open, command, run);
    if (result.kind === 'refused') return [];
    if (result.kind === 'failed')
      throw new Error(`the stop of ${run} could not be written: ${result.message}`);
    await store.load();
  }
  return [];
}

/** Those of the run, whose card changes, and the one in which it was said. */
function threadsOf({ store }: OpenLab, { thread }: SeenCommand, run: string): readonly number[] {
  const state = store.current().runs.find((one) => one.run === run);
  return state === undefined ? [thread] : [thread, state.proposal.pull, state.proposal.issue];
}
