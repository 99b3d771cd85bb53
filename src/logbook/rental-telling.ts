/** The entries about rented machines, told for people. */

import type { EventOf } from '../domain/logbook/event.ts';
import { TEAR_DOWN_WHY } from '../domain/logbook/events/rental-events.ts';
import { code, prose } from './plain-text.ts';

type RentalType =
  | 'machines-seen'
  | 'tear-down-begun'
  | 'tear-down-ended'
  | 'machine-kept'
  | 'tear-down-asked'
  | 'offer-seen';
type Told = {
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};

export const rentalTellers: { readonly [Type in RentalType]: (event: EventOf<Type>) => Told } = {
  'machines-seen': ({ data: { machines, cadenceMs } }) => ({
    status: machines.length === 0 ? 'the account has no machine of this run' : '',
    evidence: machines
      .map(
        ({ instance, status, microdollars, isEstimated }) =>
          `machine ${instance} ${status ?? 'provisioned'}, $${(microdollars / 1_000_000).toFixed(4)} so far${isEstimated === true ? ' at most' : ''}`,
      )
      .join('; '),
    decision: '',
    next: `next look within ${Math.round(cadenceMs / 1_000)} s`,
  }),
  'tear-down-begun': ({ data: { instance, jobId, cluster, reason } }) => ({
    status: `machine ${instance} of ${code(jobId)} on ${code(cluster)} is destroyed: ${TEAR_DOWN_WHY[reason]}`,
    evidence: '',
    decision: 'the account is asked now',
    next: 'a whole read of the account shows it gone, or it is asked again',
  }),
  'tear-down-ended': ({ data: { instance, jobId } }) => ({
    status: `machine ${instance} of ${code(jobId)} is gone`,
    evidence: 'by a whole read of the account',
    decision: 'it costs nothing any more',
    next: '',
  }),
  'offer-seen': ({ data: { offer, unread } }) => ({
    status:
      unread !== undefined
        ? 'the offers could not be read'
        : offer === null
          ? 'no offer fits'
          : `offer ${offer.offer} would be rented`,
    evidence:
      offer === null
        ? prose(unread ?? '')
        : `machine ${prose(offer.machine)}: ${offer.gpus} × ${prose(offer.gpu)}, $${(offer.microdollarsPerHour / 1_000_000).toFixed(4)} an hour`,
    decision: '',
    next: 'the launch searches again, by the same rule',
  }),
  'machine-kept': ({ data: { until, reason }, actor }) => ({
    status: `the machines of this run are kept until ${until}`,
    evidence: actor === undefined ? '' : `asked for by @${prose(actor.login)} (${actor.id})`,
    decision: prose(reason),
    next: 'they are destroyed then, or earlier at a cap',
  }),
  'tear-down-asked': ({ actor }) => ({
    status: 'the machines of this run are to be destroyed',
    evidence: actor === undefined ? '' : `asked for by @${prose(actor.login)} (${actor.id})`,
    decision: '',
    next: 'the watch destroys them',
  }),
};
