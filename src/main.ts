/** The command line. It only picks: the commands are listed in commands/commands.ts. */
import { hostname } from 'node:os';
import { commands, examples } from './commands/commands.ts';
import { environmentOf, invokedAs, takeInvokedName } from './commands/invoked-as.ts';
import { runCommandLine } from './commands/line/program.ts';
import { nobodyReads } from './commands/line/reader.ts';

// Whoever reads our output may stop early (`holdfast manifests | head`). That is no failure and needs no words, unless a command has to end in order.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' && nobodyReads()) return;
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`holdfast: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
process.stderr.on('error', () => {}); // nobody reads our complaints: the exit code still tells

const name = takeInvokedName(process);
Object.assign(process.env, environmentOf(name, process.env, hostname));
process.exitCode = await runCommandLine({ commands, examples }, invokedAs(name), process.argv.slice(2), process);
