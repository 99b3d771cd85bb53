/**
 * The act of destroying rented machines, which the watch carries out itself (docs/decisions): the account is read, the record
 * after it, what is decided is pushed, and only then is the account asked; a second whole read says what came of it. It can
 * be ended at any moment: who comes next finds what was begun, and goes on with it.
 */

import type { Permit } from '../domain/actions/capability.ts';
import type { Condemnation, RentalAccount } from '../domain/care/machines.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import { openOrphans } from '../domain/logbook/events/rental-events.ts';
import { rentedJobs } from '../domain/logbook/holdings.ts';
import type { Instant, RunId } from '../domain/values.ts';
import type { Entry, Recorded } from '../logbook/append.ts';
import { lookAtAccount, type RentalInput, type RentalLook, type RentalRecord } from '../rental/look.ts';
import { type Begun, mintDestruction } from './mint.ts';

/** What it needs from its surroundings; the simulated days give it an account and a record of their own. */
export type TearDownPorts = {
  readonly cluster: string;
  readonly terms: RentalTerms;
  readonly now: () => Instant;
  readonly account: RentalAccount;
  /** The record as it is now: read after the account, because a machine is rented after its claim was pushed. */
  readonly record: () => Promise<RentalRecord>;
  /** Records what is decided, in one push; it is decided again after a lost race. */
  readonly transact: (decide: () => Promise<readonly Entry[]>) => Promise<Recorded>;
  readonly boundary: (kind: string, moment: 'before' | 'after') => void;
  readonly log: (line: string) => void;
  readonly law?: RentalInput['law'];
};

/** `refused`: nothing could be recorded, and so nothing was destroyed. */
export type TearDownResult =
  | ({ readonly kind: 'looked'; readonly recorded: readonly RunId[] } & Pick<
      RentalLook,
      'cadenceMs' | 'isBusy'
    >)
  | { readonly kind: 'refused' };

/** Looks at the account of a cluster, destroys what shall be gone, and looks again where it has asked for that. */
export async function tearDown(ports: TearDownPorts): Promise<TearDownResult> {
  const first = await lookOnce(ports);
  if (first === null) return { kind: 'refused' };
  if (first.look.destroy.length === 0) return resultOf(first);
  const begun = begunIn(first);
  for (const condemned of first.look.destroy) await destroy(ports, condemned, begun);
  const second = await lookOnce(ports);
  return second === null
    ? { kind: 'refused' }
    : { ...resultOf(second), recorded: [...new Set([...first.recorded, ...second.recorded])] };
}

type Looked = {
  readonly look: RentalLook;
  /** As it is after what this look has recorded. */
  readonly record: RentalRecord;
  readonly recorded: readonly RunId[];
};

function resultOf({ look, recorded }: Looked): Extract<TearDownResult, { kind: 'looked' }> {
  return { kind: 'looked', recorded, cadenceMs: look.cadenceMs, isBusy: look.isBusy };
}

/** Null where it could not be recorded. Who lost a race reads account and record again, and decides again. */
async function lookOnce(ports: TearDownPorts): Promise<Looked | null> {
  const { cluster, terms, law } = ports;
  let looked = null as Looked | null;
  const outcome = await ports.transact(async () => {
    const account = await ports.account.read();
    const record = await ports.record();
    const now = ports.now();
    const given = law === undefined ? {} : { law };
    const look = lookAtAccount({ cluster, terms, account, record, now, ...given });
    const { unrecorded = [] } = record;
    const isRecorded = (run: RunId): boolean => unrecorded.every((one) => one.run !== run);
    const runs = look.drafts.filter(({ run, drafts }) => drafts.length > 0 && isRecorded(run));
    looked = { look, record, recorded: runs.map(({ run }) => run) };
    return [...runs, { run: 'journal', drafts: look.journal }];
  });
  if (outcome.kind === 'refused' || looked === null) return null;
  return outcome.kind === 'recorded' ? { ...looked, record: await ports.record() } : looked;
}

/** What was begun in the record, and what cannot stand there because that run's record is broken. */
function begunIn({ record, look }: Looked): readonly Begun[] {
  const { live, orphans, unrecorded = [] } = record;
  const jobs = new Set(unrecorded.flatMap(rentedJobs).map(({ jobId }) => jobId));
  const ofRuns = live
    .flatMap(({ rental }) => rental.machines)
    .filter(({ tearDown: one }) => one !== null && one.endedAt === null);
  const unwritten = look.destroy.filter(({ jobId }) => jobs.has(jobId));
  return [...ofRuns, ...openOrphans(orphans), ...unwritten.map(({ id, jobId }) => ({ instance: id, jobId }))];
}

/** What comes of it is said by the next whole read, and by nothing else. */
async function destroy(
  ports: TearDownPorts,
  condemned: Condemnation,
  begun: readonly Begun[],
): Promise<void> {
  const now = ports.now();
  const permit: Permit = { capability: mintDestruction(condemned, begun, now), now };
  ports.boundary('destroy-machine', 'before');
  const outcome = await ports.account.destroy(condemned, permit);
  ports.boundary('destroy-machine', 'after');
  const why = outcome.kind === 'unknown' ? `: ${outcome.message}` : '';
  ports.log(`machine ${condemned.id} of ${condemned.jobId}: ${outcome.kind}${why}`);
}
