/** `ferrybot bad-node < job.log`: whether a log shows a bad TPU node, which worker it is, and which machine. */

import {
  type BadNodeJudgement,
  type BadNodeMatch,
  judgeBadNode,
  NODE_SIGNATURES,
} from '../../../care/bad-node.ts';
import { readListing } from '../../../clouds/gcp/list-vms.ts';
import { branded, isInstant } from '../../../domain/ids.ts';
import { redact } from '../../../host/redactor.ts';
import { readArgument, readLogInput } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

const START = branded(0, isInstant);

/**
 * Exit 0 if the log shows one of the signatures (policy ML-29). `--tpus FILE` is the output of `gcloud compute tpus tpu-vm list
 * --format=json`.
 */
export async function badNodeVerb(io: VerbIo, tpus: string | undefined): Promise<number> {
  const listed = tpus === undefined ? null : await readArgument(io, tpus);
  if (listed?.ok === false) return misused(io, listed.error);
  const listing = listed === null ? null : readListing(listed.value);
  const facts = await readLogInput(io.stdin);
  if (!facts.ok) return misused(io, facts.error);
  const shown = facts.value.failures.flatMap((failure) =>
    NODE_SIGNATURES.has(failure.id) ? [{ ...failure, line: redact(failure.line, []) }] : [],
  );
  const workers = [...new Set(shown.flatMap((one) => one.workers))];
  const match: BadNodeMatch = {
    attempt: 1,
    signatures: shown.map(({ id }) => id),
    lines: shown.map(({ line }) => line),
    workers,
    since: null,
  };
  const machine = shown.length === 0 ? null : machineOf(judgeBadNode(match, listing, START));
  const lines = shown.map(
    ({ lineNumber, id, count, line }) => `line ${lineNumber}: ${id} (${count} times): ${line}\n`,
  );
  const words = `${lines.join('')}${shown.length === 0 ? 'no sign of a bad node' : machineWords(machine)}\n`;
  answer(io, { ok: shown.length > 0, signatures: shown, workers, machine }, words);
  return shown.length > 0 ? EXIT.yes : EXIT.no;
}

type Machine =
  | {
      readonly kind: 'found';
      readonly name: string;
      readonly zone: string;
      /** The first host in the log. */
      readonly worker: number;
      readonly workers: readonly number[];
    }
  | { readonly kind: 'unclear'; readonly code: string; readonly why: string };

function machineOf(judged: BadNodeJudgement): Machine {
  if (judged.kind === 'wait') return { kind: 'unclear', code: 'unreadable', why: judged.why };
  if (judged.kind === 'unclear') return judged;
  const { vm, workers } = judged;
  return { kind: 'found', name: vm.name, zone: vm.zone, worker: workers[0] ?? 0, workers };
}

function machineWords(machine: Machine | null): string {
  if (machine === null) return '';
  return machine.kind === 'found'
    ? `bad node: ${machine.name} in ${machine.zone}, worker ${machine.workers.join(', ')}; its deletion would be proposed`
    : `which machine it is, is not certain: ${machine.code}: ${machine.why}; a person would be asked`;
}
