/**
 * A host whose process can die: what it waits for to read or write ends then, instead of never. Memory is shared by all processes of
 * a simulation, and a dead one has to give back what it has borrowed.
 */
import type { Host } from '../host.ts';
import type { SimulatedHost } from './host.ts';

export function mortalHost(host: SimulatedHost): Host {
  const death = host.process.died.then(() => {
    throw new Error('killed');
  });
  death.catch(() => {});
  return {
    exec: (argv, options) => host.exec(argv, options),
    isInstalled: (program) => host.isInstalled(program),
    files: host.files,
    tables: host.tables,
    devices: {
      facts: (number) => host.devices.facts(number),
      async open(path, options) {
        const device = await host.devices.open(path, options);
        const read = device.read.bind(device);
        const write = device.write.bind(device);
        device.read = (into, position) => Promise.race([read(into, position), death]);
        device.write = (from, position) => Promise.race([write(from, position), death]);
        return device;
      },
    },
  };
}
