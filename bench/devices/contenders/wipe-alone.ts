/** The engine in a process of its own, which says on standard output what was measured. */
import { Meter } from '../../measure/meter.ts';
import wipe, { type Wipe } from './wipe.ts';

const meter = new Meter(() => {});
await wipe(JSON.parse(process.argv[2] ?? '') as Wipe, meter);
process.stdout.write(JSON.stringify(meter.run));
