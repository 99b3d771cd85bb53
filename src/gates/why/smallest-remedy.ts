/** The smallest set of acts after which no gate fails: what `/why` answers. */

import { type GateId, type Verdict, whyUnknown } from '../../domain/launch/verdict.ts';
import { type GateFacts, REMEDY_PHASES, type Remedy } from '../gate.ts';
import { runGates } from '../run-gates.ts';
import { changeRemedies } from './change-remedies.ts';
import { laneRemedies, missingPeople } from './lane-remedies.ts';
import { afterAll, remedyKey, reworded } from './remedy.ts';

/** Sets of acts that /why looks at, 0.1 ms each; a ferry on which a dozen things are wrong needs some hundred. */
const REMEDY_SETS_MAX = 3_000;
/** Acts of one way to green: more than there can be gates, boxes and knobs of a ferry. */
const REMEDY_STEPS_MAX = 100;

/** One act and the gates that would fail again without it. */
export type Step = Pick<Remedy, 'kind' | 'about' | 'by'> & { readonly mends: readonly GateId[] };

/** `steps`: what people do, in order; `unreadable`: what cannot be told until it can be read, which nobody can mend. */
export type Plan = {
  readonly steps: readonly Step[];
  readonly unreadable: readonly { readonly gate: GateId; readonly why: string }[];
  /** How many people have to approve at the end; 0 where none has to. */
  readonly people: number;
  /** False where so much is wrong that not every combination was tried. */
  readonly isProven: boolean;
};

/** The plan on these facts. Acts are supposed to be done well: what becomes readable only then is judged then. */
export function smallestRemedy(facts: GateFacts): Plan {
  const { chosen, isProven } = smallestSet(facts);
  const final = afterAll(
    facts,
    chosen.filter(({ kind }) => kind !== 'approve'),
  );
  const unknown = runGates(afterAll(facts, chosen)).filter((verdict) => verdict.outcome === 'unknown');
  return {
    steps: chosen.toSorted(byPhase).map(({ kind, about, by }) => ({
      kind,
      about,
      by,
      mends: mendedBy(facts, chosen, remedyKey({ kind, about })),
    })),
    unreadable: unknown.map((verdict) => ({ gate: verdict.gate, why: whyUnknown(verdict) })),
    people: chosen.some(({ kind }) => kind === 'approve') ? missingPeople(final) : 0,
    isProven,
  };
}

/** What can be done about one verdict: each of these alone takes away what it names first. */
export function remediesFor(verdict: Verdict, facts: GateFacts): readonly Remedy[] {
  return [...facts.own.remedies(verdict, facts), ...changeRemedies(verdict), ...laneRemedies(verdict, facts)];
}

function byPhase(a: Remedy, b: Remedy): number {
  return REMEDY_PHASES.indexOf(a.phase) - REMEDY_PHASES.indexOf(b.phase);
}

/** Sets of one act, of two, and so on; each set grows by what its first failing gate needs, so that no smaller one is missed. */
function smallestSet(facts: GateFacts): { readonly chosen: readonly Remedy[]; readonly isProven: boolean } {
  let level: readonly (readonly Remedy[])[] = [[]];
  let looked = 0;
  while (level.length > 0) {
    const next = new Map<string, readonly Remedy[]>();
    for (const chosen of level) {
      const options = nextSteps(facts, chosen);
      looked += 1;
      if (options === null) return { chosen, isProven: true };
      if (looked > REMEDY_SETS_MAX) return { chosen: firstWay(facts, chosen), isProven: false };
      for (const option of options) {
        const grown = [...chosen, option];
        next.set(grown.map(remedyKey).toSorted().join('\n'), grown);
      }
    }
    level = [...next.values()];
  }
  return { chosen: firstWay(facts, []), isProven: false };
}

/** Null where no gate fails; else what may be added for the first gate that does. */
function nextSteps(facts: GateFacts, chosen: readonly Remedy[]): readonly Remedy[] | null {
  const now = afterAll(facts, chosen);
  const [failing] = failingOf(now, chosen);
  if (failing === undefined) return null;
  const done = new Set(chosen.map(remedyKey));
  const known = remediesFor(failing, now);
  return known.length === 0 ? [mending(failing)] : known.filter((remedy) => !done.has(remedyKey(remedy)));
}

/** Takes the first thing that helps, over and over: a way to green, if not the shortest. */
function firstWay(facts: GateFacts, from: readonly Remedy[]): readonly Remedy[] {
  let chosen = from;
  for (let turn = 0; turn < REMEDY_STEPS_MAX; turn += 1) {
    const option = nextSteps(facts, chosen)?.[0];
    if (option === undefined) return chosen;
    chosen = [...chosen, option];
  }
  return chosen;
}

function mendedBy(facts: GateFacts, chosen: readonly Remedy[], key: string): readonly GateId[] {
  const others = chosen.filter((one) => remedyKey(one) !== key);
  return failingOf(afterAll(facts, others), others).map(({ gate }) => gate);
}

/** What a person does by the words of the gate: what the facts are then nobody can say here, but that it fails no more. */
function mending({ gate, remedyBy }: Verdict): Remedy {
  return { kind: 'mend-gate', about: gate, by: remedyBy, phase: 'text', apply: reworded };
}

function failingOf(now: GateFacts, chosen: readonly Remedy[]): readonly Verdict[] {
  const mended = chosen.flatMap(({ kind, about }) => (kind === 'mend-gate' ? [about] : []));
  return runGates(now).filter(({ gate, outcome }) => outcome === 'fail' && !mended.includes(gate));
}
