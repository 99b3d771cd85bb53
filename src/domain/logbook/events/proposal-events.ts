/** Events at the start of a run: the proposal that control is about to open, and the contract of the run's issue. */

import * as z from 'zod';
import { SURFACES } from '../../actor.ts';
import { contractSchema } from '../../launch/contract.ts';
import { code, type DataOf, defineEvents, prose } from '../define.ts';
import { actorSchema, digest, integer, publicKeySchema, runId, sha, text } from '../parts.ts';

/** The data of `proposed`, the first entry of a run. */
export const proposed = z.object({
  lane: text,
  kind: text.exactOptional().describe('the kind of run; missing if the lane names none'),
  date: text,
  runName: text,
  repository: text,
  issue: integer,
  pull: integer,
  baseBranch: text,
  headBranch: text,
  head: sha.exactOptional().describe('the commit that this process pushed; missing if the branch existed'),
  texts: z
    .object({ pull: digest.exactOptional(), issue: digest.exactOptional() })
    .exactOptional()
    .describe("digests of the bot's texts; missing for a person's texts"),
  own: z
    .object({ label: text.nullable() })
    .exactOptional()
    .describe("a person's own pull request, and the `label` that made it a run; `null`: a command did"),
  adopts: z
    .object({ jobId: text, cluster: text })
    .exactOptional()
    .describe('the job to take over; missing if the run launches its own'),
  continues: z
    .object({ run: text, reason: text })
    .exactOptional()
    .describe('the run that this one continues under another identity'),
  experiment: text,
  objective: z.object({ kind: z.enum(['integration', 'regression', 'production']), text }),
  interval: z
    .object({ sinceCommit: sha.nullable(), sinceDate: text, fallback: z.boolean(), lastRun: runId.nullable() })
    .describe("starts at the last run's launch commit, or at a date if there is none"),
  candidate: text.nullable(),
  base: z
    .object({ run: runId, commit: sha })
    .exactOptional()
    .describe("the lane's last sealed pass, from which it starts; missing if it starts from the target branch"),
  author: actorSchema,
  requestedBy: actorSchema.nullable(),
  request: z
    .object({
      surface: z.enum(SURFACES),
      comment: integer,
      index: integer,
      thread: integer,
      knobs: z.array(z.object({ path: text, after: text })),
    })
    .exactOptional()
    .describe('the `/propose` that started the run, with its knobs'),
  keys: z.array(publicKeySchema),
});

const opened = z.object({ title: text, body: text });

const proposing = z.object({
  run: runId,
  proposed: proposed
    .omit({ issue: true, pull: true, head: true, texts: true, author: true })
    .extend({ author: actorSchema.exactOptional() })
    .describe('the known part of the later `proposed`'),
  branch: z
    .object({ base: sha, files: z.record(text, text), message: text })
    .exactOptional()
    .describe("the commit to push, on `base`; missing for a person's pull request"),
  issue: z.union([integer, opened]).describe('the issue to open, or the number of an existing one'),
  pull: z
    .union([integer, opened])
    .nullable()
    .describe('the same for the pull request; `null` if only the issue is the proposal'),
  contract: contractSchema.exactOptional(),
  labels: z.array(text).describe('labels of the opened issue and pull request'),
  missing: text.nullable().describe("the missing part of a pull request's description, to offer in a comment"),
});

const data = { proposing, contracted: z.object({ contract: contractSchema }) };

export type ProposalEventData = DataOf<typeof data>;
export type Proposing = ProposalEventData['proposing'];

export const proposalEvents = defineEvents(data, {
  proposing: {
    title: 'proposal started',
    meaning:
      'In the journal: control is about to open a run. The branch, the issue and the pull request follow, then `proposed` in the record of the run. The newest entry of a lane counts.',
    writers: ['control'],
    isInJournal: true,
    isDecisive: true,
    describe: ({ data: { run, proposed: about, branch, issue, pull } }) => ({
      status: `control is about to propose ${code(run)} in lane ${code(about.lane)}`,
      evidence: branch === undefined ? '' : `${code(about.headBranch)} on ${code(branch.base)}`,
      decision: [issue, pull]
        .filter((one) => one !== null)
        .map((one) => (typeof one === 'number' ? `#${one} is used` : `${code(one.title)} is opened`))
        .join(', '),
      next: 'the run is recorded as proposed',
    }),
  },
  contracted: {
    title: 'contract read',
    meaning:
      "The values that the run's issue requests, by name. The newest entry counts. `unclear`: the value cannot be used.",
    writers: ['control'],
    apply: (state, { data }) => ({ ...state, contract: data.contract }),
    describe: ({ data }) => ({
      status: `${Object.keys(data.contract).length} values of the contract are known`,
      evidence: Object.entries(data.contract)
        .filter(([, { source }]) => source === 'inferred')
        .map(
          ([name, { value, from }]) => `${prose(labelFromName(name))} ${code(value)} is inferred from ${prose(from)}`,
        )
        .join(', '),
      decision: 'the run has this contract',
      next: 'gates are evaluated',
    }),
  },
});

/** Converts `finalStep` to `final step`. */
function labelFromName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
