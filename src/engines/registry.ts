/** Lists every engine, one line each. All other code gets its engines from here. */

import { z } from 'zod';
import type { ClusterSchema, EngineAdapter, EngineDefinition, LoadableEngine } from './definition.ts';
import { irisEngine } from './iris/definition.ts';
import { localEngine } from './local/definition.ts';
import { rayEngine } from './ray/definition.ts';
import { slurmEngine } from './slurm/definition.ts';
import { vastEngine } from './vast/definition.ts';

const ENGINES = [
  addLoader(localEngine, () => import('./local/engine.ts')),
  addLoader(rayEngine, () => import('./ray/engine.ts')),
  addLoader(slurmEngine, () => import('./slurm/engine.ts')),
  addLoader(irisEngine, () => import('./iris/engine.ts')),
  addLoader(vastEngine, () => import('./vast/engine.ts')),
] as const;

const [first, ...others] = ENGINES;

export const ENGINE_SCHEMAS: readonly ClusterSchema[] = ENGINES.map(({ schema }) => schema);

/** A cluster. `engine` selects its kind, and with it the valid keys. */
export const clusterSchema = z.discriminatedUnion('engine', [first.schema, ...others.map(({ schema }) => schema)]);

export type ClusterConfig = z.infer<typeof clusterSchema>;

/** The adapter is loaded when a cluster is called, but not to read a config. */
function addLoader<Schema extends ClusterSchema>(
  definition: EngineDefinition<Schema>,
  load: () => Promise<EngineAdapter<z.infer<Schema>>>,
): LoadableEngine<Schema> {
  return { ...definition, load };
}

/** The engine of a cluster. Throws for an engine that no schema accepts, which is a bug. */
export function engineDefinition({ engine }: ClusterConfig): EngineDefinition {
  const found = ENGINES.find(({ schema }) => schema.shape.engine.value === engine);
  if (found === undefined) throw new Error(`no engine is called ${engine}`);
  return found;
}

export type Adapters = ReadonlyMap<string, EngineAdapter>;

/** Loads every adapter. A process that calls clusters does this once at its start. */
export async function loadAdapters(): Promise<Adapters> {
  const all: readonly LoadableEngine[] = ENGINES;
  return new Map(
    await Promise.all(all.map(async ({ schema, load }) => [schema.shape.engine.value, await load()] as const)),
  );
}

/** The adapter of a cluster's engine. Throws for an adapter that was not loaded, which is a bug. */
export function findAdapter(adapters: Adapters, { engine }: ClusterConfig): EngineAdapter {
  const found = adapters.get(engine);
  if (found === undefined) throw new Error(`the adapter of ${engine} was not loaded`);
  return found;
}
