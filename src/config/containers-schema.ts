/** Which registries are asked from which commit a container was built. */

import { z } from 'zod';
import { variable } from '../settings/words.ts';

const host = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,252}(?::\d{1,5})?$/, 'the name of a host, such as ghcr.io');

const registry = z
  .strictObject({
    address: z
      .string()
      .max(300)
      .regex(
        /^(?:https:\/\/[a-z0-9][a-z0-9.-]{0,252}|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?$/,
        'an address such as https://registry.example.org, without a path',
      )
      .nullable()
      .default(null)
      .describe(
        'Where it answers. null: by HTTPS under its own name. HTTP is for a registry of this machine alone.',
      ),
    alsoHosts: z
      .array(host)
      .max(10)
      .default([])
      .describe(
        'Other hosts that it may lead to, by HTTPS: its token service, and where it keeps its blobs. No other is asked, and where blobs lie hears no key.',
      ),
    user: z
      .string()
      .regex(/^[\w.@-]{1,100}$/, 'the name of an account')
      .default('ferrybot')
      .describe('Whom the key is of; `oauth2accesstoken` where it is a token of Google.'),
    keyFrom: variable
      .nullable()
      .default(null)
      .describe(
        'Variable of control and launcher with a key that may pull there. null: it is asked as anybody may.',
      ),
  })
  .describe('A registry of containers, by the name that images there begin with.');

/** Nothing is asked unless a lab names where. */
export const containersSchema = z
  .strictObject({
    registries: z
      .record(host, registry)
      .default({})
      .describe(
        'Registries that are asked; `docker.io` is Docker Hub. No other is, whatever an issue says, and no run is launched in an image of another.',
      ),
  })
  .prefault({})
  .describe('What is asked of the containers that contracts name.');

/** One registry of the config. */
