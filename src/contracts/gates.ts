/** The gates on a contract: it is complete and matches the issue, and no other run uses its output root or its tracker run. */

import type { LaneConfig } from '../config/lane-schema.ts';
import { contractValue, isSameContract } from '../domain/launch/contract.ts';
import { withoutEndSlashes } from '../domain/values.ts';
import { defineGate, type Gate, ifKnown, judgements, requireContract } from '../gates/gate.ts';
import { type ContractFields, fieldNames, findOpenParts, listOptions } from './fields.ts';

const completeAnswer = judgements('contract-complete');

/** Blocks missing and unclear values. A pass lists which values were inferred. */
export function contractComplete(fields: ContractFields): Gate {
  return {
    id: 'contract-complete',
    evaluate: ({ contract }) =>
      ifKnown(requireContract(contract), (values) => {
        const { missing, unclear } = findOpenParts(fields, values);
        const inferred = fieldNames(fields).flatMap((name) => {
          const value = values[name];
          return value?.source === 'inferred' ? [`${fields[name]?.label} from ${value.from}`] : [];
        });
        const isRetention = fieldNames(fields).some(
          (name) => fields[name]?.isRetention === true && values[name] === undefined,
        );
        if (missing.length + unclear.length === 0)
          return completeAnswer.pass('complete', { values: Object.keys(values).length, inferred });
        // rule HR-11
        return isRetention
          ? completeAnswer.block('retention-open', 'author', { missing, unclear })
          : completeAnswer.block('incomplete', 'author', { missing, unclear });
      }),
  };
}

const currentAnswer = judgements('contract-current');

/** Blocks if the contract differs from the recorded one; `fields` are the fields of the kind. */
export function contractCurrent(fields: ContractFields): Gate {
  return {
    id: 'contract-current',
    evaluate: ({ contract }) =>
      ifKnown(requireContract(contract), (now) => {
        const recorded = contract?.recorded ?? {};
        if (isSameContract(recorded, now)) return currentAnswer.pass('as-recorded');
        const differs = fieldNames(fields).filter(
          (name) => !isSameContract({ ...pickValue(recorded, name) }, { ...pickValue(now, name) }),
        );
        return currentAnswer.block('differs', 'author', { names: differs.map((name) => fields[name]?.label ?? name) });
      }),
  };
}

function pickValue<Value>(values: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> {
  const value = values[name];
  return value === undefined ? {} : { [name]: value };
}

const REGION =
  /(?:^|[^a-z])(us|eu|europe|asia|me|africa|australia|northamerica|southamerica|ca|sa|ap|af|il)-(central|north|south|east|west|northeast|northwest|southeast|southwest)-?0?(\d{1,2})(?!\d)/i;

/** Whether the root is below one of these places, or in a folder or bucket of one of these names; `ttl=` is the start of a name. */
export function isTemporary(root: string, places: readonly string[]): boolean {
  const parts = root.split('/');
  return places.some((place) =>
    place.includes('/')
      ? `${root}/`.startsWith(`${withoutEndSlashes(place)}/`)
      : parts.some((part) => part === place || (place.endsWith('=') && part.startsWith(place))),
  );
}

/** The lane's places that are emptied by themselves. */
export function temporaryRootsOf(lane: LaneConfig): readonly string[] {
  return 'temporaryRoots' in lane && Array.isArray(lane.temporaryRoots) ? lane.temporaryRoots : [];
}

/** The template by which programs of this lane derive their output root from the command; null if it has none. */
export function outputTemplateOf(lane: LaneConfig): string | null {
  return 'outputRootFrom' in lane && typeof lane.outputRootFrom === 'string' ? lane.outputRootFrom : null;
}

/** The template with the value of each `{option}` in the command. Null if an option is missing or has several values. */
export function derivedRoot(template: string, command: readonly string[]): string | null {
  const line = { environment: {}, command };
  const said = (name: string): string => {
    const values = [...new Set(listOptions(line, [name]))];
    return values.length === 1 ? (values[0] ?? '') : '';
  };
  const isWhole = [...template.matchAll(OPTION)].every(([, name = '']) => said(name) !== '');
  return isWhole ? withoutEndSlashes(template.replace(OPTION, (_, name: string) => said(name))) : null;
}

const OPTION = /\{([\w.-]+)\}/g;

/**
 * The command writes to the output root, which no other recorded run uses unless the contract continues that run. The region of
 * the root is the run's, as far as names show it. The root holds only this run's own lineage (policy HR-08, HR-34, HR-37).
 */
export const outputRootOwn = defineGate(
  'output-root-own',
  ({ manifest, rootHolder, rootContents, contract, lane }, { block, pass }) =>
    ifKnown(manifest, ({ outputRoot: root, command, cluster }) =>
      ifKnown(rootHolder, (holder) => {
        // rule HR-37
        if (holder !== null)
          return block('taken', 'author', { root: holder.requested, run: holder.run, theirs: holder.root });
        if (isTemporary(root, temporaryRootsOf(lane))) return block('temporary', 'author', { root });
        const template = outputTemplateOf(lane);
        const derived = template === null ? null : derivedRoot(template, command);
        const isDerived = derived === withoutEndSlashes(root);
        // rule HR-08
        if (!isDerived && !isRootInCommand(command, root))
          return block('not-in-command', 'author', { root, ...(derived === null ? {} : { derived }) });
        const from = isDerived && template !== null ? { template } : {};
        const there = bucketRegion(root);
        const wanted = findRegion(contractValue(contract?.recorded ?? null, 'region') ?? cluster);
        if (there !== null && wanted !== null && there !== wanted)
          return block('other-region', 'author', { root, there, wanted });
        const region = there === null ? {} : { region: there };
        if (rootContents === undefined) return pass('own', { root, ...region, ...from });
        return ifKnown(rootContents, ({ listedRoots, foreign }) =>
          foreign === null
            ? pass('own', { root, looked: listedRoots, ...region, ...from })
            : block('used', 'author', { root, path: foreign }),
        );
      }),
    ),
);

/** The region without its zone, such as `us-central2`; null if the text names none. */
export function findRegion(text: string): string | null {
  const [, area, side, number] = REGION.exec(text) ?? [];
  return area === undefined ? null : `${area}-${side}${number}`.toLowerCase();
}

/** The region of a store path, from the name of its bucket: no other part of the path shows it. */
export function bucketRegion(path: string): string | null {
  const [, bucket] = /^(?:gs|s3):\/\/([^/]+)/.exec(path) ?? [];
  return bucket === undefined ? null : findRegion(bucket);
}

/**
 * Whether a value of the command or its environment is the root, or a parent folder with each further part as a separate value:
 * trainers append the id of their run to a base path.
 */
export function isRootInCommand(command: readonly string[], outputRoot: string): boolean {
  const root = withoutEndSlashes(outputRoot);
  const values = command.flatMap((part) => [part, ...part.split(/=(.*)/s, 2).slice(1)]).map(withoutEndSlashes);
  if (values.some((value) => value === root || value.startsWith(`${root}/`))) return true;
  return values.some((value) => {
    if (value === '' || !root.startsWith(`${value}/`)) return false;
    const parts = root.slice(value.length + 1).split('/');
    return parts.every((part) => values.includes(part));
  });
}

/** The run reports to a tracker run that no other recorded run uses, unless its contract continues that run. */
export const trackerOwn = defineGate('tracker-own', ({ manifest, trackerHolder }, { block, pass }) =>
  ifKnown(manifest, ({ tracker: { runId: id }, resume: { policy } }) =>
    ifKnown(trackerHolder, (run) =>
      run === null ? pass('own', { id, resume: policy }) : block('taken', 'author', { id, run }),
    ),
  ),
);
