/**
 * A program that listens on a local port and forwards, like `ssh -N -L`; it writes its process id and
 * arguments to a file.
 */

/** Arguments: near port (0: does not listen), far port, file for its notes (one line of JSON per start). */
export const FORWARDER = `
const net = require('node:net'), fs = require('node:fs');
const [near, far, notes] = process.argv.slice(1);
fs.appendFileSync(notes, JSON.stringify({ pid: process.pid, home: process.env.HOME, files: fs.readdirSync(process.env.HOME), env: Object.keys(process.env).sort() }) + '\\n');
if (near !== '0') net.createServer((a) => { const b = net.connect(Number(far), '127.0.0.1'); a.pipe(b).pipe(a); for (const s of [a, b]) s.on('error', () => { a.destroy(); b.destroy(); }); }).listen(Number(near), '127.0.0.1');
else setInterval(() => {}, 1e6);
`;
