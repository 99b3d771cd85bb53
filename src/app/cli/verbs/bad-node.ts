/** `ferrybot bad-node < job.log`: whether a log shows a bad TPU node, on which worker, and which machine that is. */

import { parseArgs } from 'node:util';
import { type BadNodeJudgement, type BadNodeSighting, judgeBadNode } from '../../../care/bad-node.ts';
import { readListing } from '../../../clouds/gcp/list-vms.ts';
import type { VmListing } from '../../../domain/care/tpu-vm.ts';
import { branded, isInstant } from '../../../domain/ids.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { redact } from '../../../host/redactor.ts';
import { SIGNATURES } from '../../../watch/signatures.ts';
import { readArgument } from '../read-argument.ts';
import { readLogInput } from '../read-log-input.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

const NODE_SIGNATURES: ReadonlySet<string> = new Set(
  SIGNATURES.flatMap(({ id, advice }) => (advice === 'propose-node' ? [id] : [])),
);
const START = branded(0, isInstant);

/**
 * Exit 0 if the log shows one of the three signatures (policy ML-29). `--tpus FILE`:
 * the machines, as `gcloud compute tpus tpu-vm list --format=json` printed them; without it no machine is named.
 */
export async function badNodeVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const listing = await listingOf(args, io);
  if (!listing.ok) return misused(io, wantsJson, listing.error);
  const facts = await readLogInput(io.stdin);
  if (!facts.ok) return misused(io, wantsJson, facts.error);
  const shown = facts.value.failures.flatMap((failure) =>
    NODE_SIGNATURES.has(failure.id) ? [{ ...failure, line: redact(failure.line, []) }] : [],
  );
  const workers = [...new Set(shown.flatMap((one) => one.workers))];
  const sighting: BadNodeSighting = {
    attempt: 1,
    signatures: shown.map(({ id }) => id),
    lines: shown.map(({ line }) => line),
    workers,
    since: null,
  };
  const machine = shown.length === 0 ? null : machineOf(judgeBadNode(sighting, listing.value, START));
  if (wantsJson)
    io.stdout.write(`${JSON.stringify({ ok: shown.length > 0, signatures: shown, workers, machine })}\n`);
  else {
    for (const { lineNumber, id, count, line } of shown)
      io.stdout.write(`line ${lineNumber}: ${id} (${count} times): ${line}\n`);
    io.stdout.write(`${shown.length === 0 ? 'no sign of a bad node' : machineWords(machine)}\n`);
  }
  return shown.length > 0 ? EXIT.yes : EXIT.no;
}

type Machine =
  | {
      readonly kind: 'found';
      readonly name: string;
      readonly zone: string;
      /** The first host that the log names. */
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

async function listingOf(args: readonly string[], io: VerbIo): Promise<Result<VmListing | null, string>> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { tpus: { type: 'string' }, json: { type: 'boolean' } },
    });
    if (values.tpus === undefined) return ok(null);
    const text = await readArgument(io, values.tpus);
    return text.ok ? ok(readListing(text.value)) : text;
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return fail(error.message);
    throw error;
  }
}
