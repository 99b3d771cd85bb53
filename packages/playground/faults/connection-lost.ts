/** What a client sees when its connection breaks: in process an exception as of `fetch`, over HTTP a closed socket. */

export class ConnectionLost extends TypeError {
  override readonly name = 'TypeError';

  constructor(moment: 'before' | 'after') {
    super('fetch failed', { cause: new Error(`the connection broke ${moment} GitHub acted`) });
  }
}
