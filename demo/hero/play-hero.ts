/**
 * `--lane hero --auto`: plays the people of a hero run, each step of the page's story in order, from the form to the
 * seal.
 */

import { type LogbookEntry, readLogbook } from '../logbook-events.ts';
import type { OpenedLab } from '../open-lab.ts';
import { commentAs, fillForm, type Speaker, shownApprovalLine } from '../person.ts';
import type { PlayResult, StageReport } from '../play.ts';
import { createReach, findEvent, findRun, NotReached } from '../reach.ts';
import { HERO_LANE } from './lane.ts';
import { heroTry, SAID } from './story.ts';

const READING_MS = 1_500;

type Events = readonly LogbookEntry[];

/** Waits where a step of the story has an effect, and posts only what the story contains. */
export async function playHero(lab: OpenedLab, report: (stage: StageReport) => void): Promise<PlayResult> {
  const { form } = heroTry(lab.folder.outputs);
  const issue = await fillForm(lab, 'ada', form);
  const reach = createReach(lab, HERO_LANE, report);
  try {
    const run = await reach('proposed', (runs) => findRun(runs, issue));
    const events = async (): Promise<Events> => (await readLogbook(lab.world)).get(run) ?? [];
    const when =
      (type: string, times = 1) =>
      async () =>
        findEvent(await events(), type, times);
    const post = (who: Speaker, line: string): Promise<void> => commentAs(lab.world, issue, line, who);
    const answered = async (line: string): Promise<void> => {
      const before = count(await events(), 'command-answered');
      await read();
      await post('mira', line);
      await reach('ended', when('command-answered', before + 1));
    };
    const approve = async (before: string | null): Promise<string> => {
      const line = await reach('gated', async () => {
        const shown = await shownApprovalLine(lab.world, issue);
        return shown === before ? null : shown;
      });
      await read();
      const already = count(await events(), 'approved');
      await post('mira', line);
      await reach('approved', when('approved', already + 1));
      await post('ravi', line);
      await reach('approved', when('approved', already + 2));
      return line;
    };
    const line = await approve(null);
    await reach('ordered', when('ordered'));
    await reach('submitted', when('submitted'));
    await reach('stepping', async () => isStepping(await events()));
    await reach('submitted', when('submitted', 2));
    await reach('ended', when('ended', 2));
    await answered(SAID.reject);
    await answered(SAID.refused);
    await answered(SAID.rollback);
    await approve(line);
    await reach('submitted', when('submitted', 3));
    await reach('ended', when('ended', 3));
    await post('mira', SAID.seal);
    await reach('sealed', when('sealed'));
    return { ok: true, run };
  } catch (error) {
    if (error instanceof NotReached) return { ok: false, reason: error.message };
    throw error;
  }
}

/** The time that a person takes to read a comment. */
async function read(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, READING_MS));
}

function count(events: Events, type: string): number {
  return events.filter((event) => event.type === type).length;
}

function isStepping(events: Events): true | null {
  return events.some(({ type, data }) => type === 'observed' && Number(data['step'] ?? 0) > 0) ? true : null;
}
