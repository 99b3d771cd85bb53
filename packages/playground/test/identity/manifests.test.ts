/** Apps from a manifest (docs.github.com: registering a GitHub App from a manifest). */

import { describe, expect, it } from 'vitest';
import { acceptManifest } from '../../identity/manifests.ts';
import { createTown, refusal, type Town } from '../world/town.ts';

function accept(town: Town): URL {
  const manifest = {
    name: 'Lab bot',
    url: 'https://lab.example',
    hook_attributes: { url: 'https://lab.example/hook' },
    redirect_url: 'http://127.0.0.1:9/registered?from=lab',
    default_permissions: { issues: 'write' },
    default_events: ['issues'],
  };
  return new URL(acceptManifest(town.world, town.seeded.repo.ownerId, JSON.stringify(manifest), 'a state'));
}

const convert = (town: Town, address: URL) =>
  town.as(null).request('POST /app-manifests/{code}/conversions', { code: address.searchParams.get('code') ?? '' });

describe('an accepted manifest', () => {
  it('sends the browser back with a code and the state', () => {
    const { origin, pathname, searchParams } = accept(createTown());
    expect(`${origin}${pathname}`).toBe('http://127.0.0.1:9/registered');
    expect([searchParams.get('from'), searchParams.get('state')]).toEqual(['lab', 'a state']);
  });

  it('becomes an App with a key and a secret, once', async () => {
    const town = createTown();
    const address = accept(town);
    const { status, data } = await convert(town, address);
    expect([status, data.slug, data.permissions]).toEqual([201, 'lab-bot', { issues: 'write' }]);
    expect(data.pem).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
    expect(town.world.state.apps[data.id]?.webhook).toEqual({
      url: 'https://lab.example/hook',
      secret: data.webhook_secret,
    });
    expect(await refusal(convert(town, address))).toMatchObject({ status: 404 });
  });

  it('expires after an hour', async () => {
    const town = createTown();
    const address = accept(town);
    town.advance(60 * 60 * 1000);
    expect(await refusal(convert(town, address))).toMatchObject({ status: 404 });
  });
});
