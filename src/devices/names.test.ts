import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { dnsSubdomainFault } from '../kit/names.ts';
import { volumeNameOf } from './names.ts';

describe('the name of a volume', () => {
  test.each([
    ['node1', 'pci-0000:3b:00.0-ata-1', 'local-node1-pci-0000-3b-00.0-ata-1'],
    ['minikube-worker', 'loop0', 'local-minikube-worker-loop0'],
    ['10.0.0.1', 'SDA', 'local-10.0.0.1-sda'],
    ['n', 'a__b  c', 'local-n-a-b-c'],
    ['n', '-a', 'local-n-a'],
    ['n', 'a-', 'local-n-a-'],
    ['n', 'größe', 'local-n-gr-e'],
    ['n', '😀', 'local-n-'],
    ['n', '\u212Aelvin', 'local-n-elvin'],
    ['n', 'a\nb\0c', 'local-n-a-b-c'],
    ['n', '.', 'local-n-.'],
  ])('of %j on the node %j is %j', (node, device, name) => {
    expect(volumeNameOf(node, device)).toBe(name);
  });

  test('is made of nothing but small letters, digits, single hyphens and dots, and stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (node, device) => {
        const name = volumeNameOf(node, device);
        expect(name).toMatch(/^local-[a-z0-9.-]*$/);
        expect(name).not.toContain('--');
        expect(volumeNameOf('n', name)).toBe(`local-n-${name}`);
      }),
    );
  });

  test('is one that Kubernetes takes for every name that udev gives', () => {
    const udev = fc
      .stringMatching(/^[A-Za-z0-9][A-Za-z0-9:_.+-]{0,80}[A-Za-z0-9]$/)
      .filter((name) => !name.includes('..'));
    fc.assert(
      fc.property(udev, (device) => {
        const fault = dnsSubdomainFault(volumeNameOf('node-1', device));
        expect(fault === undefined || /[.][^A-Za-z0-9]|[^A-Za-z0-9][.]/.test(device)).toBe(true);
      }),
    );
  });
});
