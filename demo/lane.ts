/**
 * A lab of `--lane`: what it adds to the example, what a person can do in it, and the code that plays the person with
 * `--auto`.
 */

import type { Try } from '../packages/playground/pages/visit.ts';
import { adoptedSeed, SWEEP } from './adopted/lane.ts';
import { playAdopted } from './adopted/play-adopted.ts';
import { heroSeed } from './hero/lane.ts';
import { playHero } from './hero/play-hero.ts';
import { heroTry } from './hero/story.ts';
import type { LabFolder } from './lab-folder.ts';
import type { OpenedLab } from './open-lab.ts';
import type { StartOptions } from './options.ts';
import type { PlayResult, StageReport } from './play.ts';
import type { RehearsalCluster } from './rehearsal-cluster.ts';
import { openMarket } from './rental/market.ts';
import { playRental } from './rental/play-rental.ts';

export type LabLane = {
  readonly cluster: RehearsalCluster;
  /** Guided stories on the page of the issues. */
  readonly tries: readonly Try[];
  /** The experiment that people start manually on the page of the issues; null: none. */
  readonly ownJob: string | null;
  /** The first action for a person who has just opened the lab. */
  readonly hint: string;
  readonly play: (lab: OpenedLab, report: (stage: StageReport) => void) => Promise<PlayResult>;
};

export async function openLane(lane: NonNullable<StartOptions['lane']>, folder: LabFolder): Promise<LabLane> {
  switch (lane) {
    case 'rental': {
      const { cluster, vast } = await openMarket(folder);
      return {
        cluster,
        tries: [],
        ownJob: null,
        hint: 'Open an issue as ada and say `/rent gpu="RTX 4090" hours=1 reason="…"` in it, then comment the /approve-launch line of its card as mira.',
        play: (lab, report) => playRental({ lab, vast, report }),
      };
    }
    case 'hero':
      return {
        cluster: { seed: await heroSeed(), close: async () => null },
        tries: [heroTry(folder.outputs)],
        ownJob: null,
        hint: 'Open the page of the issues: it has the form of the contract, filled in, and what to do after it, step by step.',
        play: playHero,
      };
    case 'adopted':
      return {
        cluster: { seed: await adoptedSeed(), close: async () => null },
        tries: [],
        ownJob: SWEEP,
        hint: 'Open the page of the issues as ada, start a job of your own there, and say its /watch line and /accept as mira; once it has died of its slip, say the /approve-launch line of the card as ravi.',
        play: playAdopted,
      };
  }
}
