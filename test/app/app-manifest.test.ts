/** app.yml requests exactly what the server needs, and subscribes to every event that has a handler. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { APP_EVENTS, APP_PERMISSIONS, UNSUBSCRIBED_EVENTS } from '../../src/app/server/discovery.ts';
import { HANDLERS } from '../../src/handlers/registry.ts';

const text = readFileSync(join(import.meta.dirname, '../../app.yml'), 'utf8');
const manifest = z
  .strictObject({
    name: z.string(),
    url: z.url(),
    description: z.string(),
    public: z.literal(false),
    hook_attributes: z.strictObject({ url: z.url(), active: z.literal(true) }),
    default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
    default_events: z.array(z.string()),
  })
  .parse(parse(text));

describe('app.yml', () => {
  it('requests the permissions that the code needs, no more and no less', () => {
    const wanted = Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]);
    expect(manifest.default_permissions).toEqual(Object.fromEntries(wanted));
  });

  it('requests no permission for workflows, administration or secrets', () => {
    for (const name of ['workflows', 'administration', 'secrets', 'environments', 'organization_administration'])
      expect(Object.keys(manifest.default_permissions)).not.toContain(name);
  });

  it('explains every permission and event in the line above it', () => {
    const lines = text.split('\n');
    const names = [...Object.keys(manifest.default_permissions), ...manifest.default_events];
    const bare = names.filter((name) => {
      const at = lines.findIndex((line) => line.trim() === `- ${name}` || line.startsWith(`  ${name}: `));
      return !(lines[at - 1] ?? '').trim().startsWith('#');
    });
    expect(bare).toEqual([]);
  });

  it('subscribes to the events of the code', () => {
    expect(manifest.default_events).toEqual([...APP_EVENTS]);
    expect(UNSUBSCRIBED_EVENTS.filter((event) => manifest.default_events.includes(event))).toEqual([]);
  });
});

describe('the handlers', () => {
  it('each handle an event that the App subscribes to', () => {
    const events: readonly string[] = APP_EVENTS;
    expect(HANDLERS.map((handler) => handler.event).filter((event) => !events.includes(event))).toEqual([]);
  });
});
