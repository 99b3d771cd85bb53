/** Judges whether each tracker that a lane has asked can be reached, with its key where this process has it. */

import type { TrackerConfig } from '../../../config/lane-schema.ts';
import type { LabConfig } from '../../../run/lane-scope.ts';
import type { TrackerHost } from '../../../trackers/ask.ts';
import { createTrackers } from '../../trackers.ts';
import type { VerbIo } from '../verb-io.ts';
import { type Finding, fine, missing, unseen } from './finding.ts';
import { isOwnConfig, NOT_OWN } from './own-config.ts';

/** A run that no lab has: that there is none says that the key is taken. */
const NOBODYS_RUN = 'ferrybot-doctor';
const CHECK = 'tracker-reached';
const WITH_KEY =
  'Run the doctor once where the watch runs, or with the variable in its environment: `NAME=… ferrybot doctor`.';

/** Asks each of them once; changes nothing there. */
export async function judgeTrackers(
  config: LabConfig,
  environment: Readonly<Record<string, string | undefined>>,
  host: TrackerHost,
): Promise<Finding> {
  const trackerOf = createTrackers(environment, host);
  const asked = await Promise.all(
    Object.entries(config.lanes).map(async ([lane, { tracker }]) => {
      const answer = (await trackerOf(tracker)?.describe(NOBODYS_RUN)) ?? null;
      return answer === null ? [] : [{ lane, answer, isKeyless: lacksKey(tracker, environment) }];
    }),
  );
  const answers = asked.flat();
  const said = answers.flatMap(({ lane, answer }) =>
    'message' in answer ? [`${lane}: ${answer.message}`] : [],
  );
  const unknown = answers.filter(({ answer, isKeyless }) => isKeyless || SILENT.has(answer.kind));
  const denied = answers.filter(({ answer, isKeyless }) => !isKeyless && answer.kind === 'denied');
  if (answers.length === 0) return fine(CHECK, 'no lane has its tracker asked');
  if (denied.length > 0)
    return missing(
      CHECK,
      said.join('; '),
      'Put a key that may read there into the variable of `tracker.keyFrom`.',
    );
  return unknown.length > 0
    ? unseen(CHECK, said.join('; '), WITH_KEY)
    : fine(CHECK, answers.map(({ lane }) => `${lane}: it answers, and takes the key`).join('; '));
}

/** The same for the config with that text; nobody is asked where it is not that of the own checkout: a config says where a key is sent. */
export function createJudgeTrackers(
  io: Pick<VerbIo, 'cwd' | 'environment'>,
  configText: string,
  host: TrackerHost,
): (config: LabConfig) => Promise<Finding> {
  return async (config) => {
    const trackerOf = createTrackers(io.environment, host);
    const asksNobody = Object.values(config.lanes).every(({ tracker }) => trackerOf(tracker) === null);
    return asksNobody || (await isOwnConfig(io, configText))
      ? judgeTrackers(config, io.environment, host)
      : unseen(CHECK, NOT_OWN, 'Ask again in the checkout of the lab.');
  };
}

const SILENT: ReadonlySet<string> = new Set(['limited', 'unknown']);

function lacksKey({ keyFrom }: TrackerConfig, environment: Parameters<typeof judgeTrackers>[1]): boolean {
  return keyFrom !== null && (environment[keyFrom] ?? '') === '';
}
