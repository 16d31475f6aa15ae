/** The process in which one contender runs once. */
import type { Contend, FromContender, ToContender } from './contender.ts';
import { Meter } from './meter.ts';

process.once('message', ({ module, input }: ToContender) => {
  run(module, input).then(tell, (error: unknown) => {
    tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
process.once('disconnect', () => process.exit());

async function run(module: string, input: unknown): Promise<FromContender> {
  const { default: contend } = (await import(module)) as { readonly default: Contend<unknown> };
  const meter = new Meter(() => tell({ ready: true }));
  await contend(input, meter);
  return { run: meter.run };
}

function tell(message: FromContender): void {
  process.send?.(message);
}
