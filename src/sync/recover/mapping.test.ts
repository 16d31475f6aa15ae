import { describe, expect, test } from 'vitest';
import { mappedClass, mappedVolume } from './mapping.ts';

describe('what is called otherwise here', () => {
  test('is a StorageClass by its whole name', () => {
    const mappings = { storageClasses: [{ from: 'fast', to: 'local-fast' }] };
    expect(mappedClass('fast', mappings)).toBe('local-fast');
    expect(mappedClass('faster', mappings)).toBe('faster');
    expect(mappedClass('fast')).toBe('fast');
  });

  test('is a server and a path of NFS by how they begin', () => {
    const mappings = {
      nfsServers: [{ from: '10.1.', to: '10.2.' }],
      nfsPaths: [{ from: '/export/', to: '/replica/' }],
    };
    const nfs = { server: '10.1.2.3', path: '/export/a/export/b', readOnly: true };
    expect(mappedVolume({ nfs, storageClassName: '' }, mappings)).toEqual({
      nfs: { server: '10.2.2.3', path: '/replica/a/export/b', readOnly: true },
      storageClassName: '',
    });
  });

  test('is a driver and a handle of CSI by how they begin, and nothing else of the volume', () => {
    const mappings = {
      csiDrivers: [{ from: 'csi.there.', to: 'csi.here.' }],
      csiVolumeHandles: [{ from: 'eu-1:', to: 'eu-2:' }],
    };
    const csi = { driver: 'csi.there.example', volumeHandle: 'eu-1:vol', volumeAttributes: { at: 'eu-1:vol' } };
    expect(mappedVolume({ csi, capacity: { storage: '1Gi' } }, mappings)).toEqual({
      csi: { driver: 'csi.here.example', volumeHandle: 'eu-2:vol', volumeAttributes: { at: 'eu-1:vol' } },
      capacity: { storage: '1Gi' },
    });
  });

  test('is what the first rule that fits says, and is not looked at by the next one', () => {
    const nfsPaths = [
      { from: '/a', to: '/b' },
      { from: '/b', to: '/c' },
      { from: '/a/x', to: '/d' },
    ];
    expect(mappedVolume({ nfs: { server: 's', path: '/a/x' } }, { nfsPaths }).nfs?.path).toBe('/b/x');
  });

  test.each([
    ['nas-a', 'dr'],
    ['nas-a.example.com', 'dr.example.com'],
    ['nas-a2', 'nas-a2'],
    ['nas-a-2', 'nas-a-2'],
    ['10.0.0.1', '10.9.9.9'],
    ['10.0.0.12', '10.0.0.12'],
  ])('is a server by whole parts of its name: %s is %s', (server, here) => {
    const nfsServers = [
      { from: 'nas-a', to: 'dr' },
      { from: '10.0.0.1', to: '10.9.9.9' },
    ];
    expect(mappedVolume({ nfs: { server, path: '/x' } }, { nfsServers }).nfs?.server).toBe(here);
  });

  test.each([
    ['/export', '/replica'],
    ['/export/a', '/replica/a'],
    ['/export-old/a', '/export-old/a'],
    ['/exports', '/exports'],
  ])('is a path by whole directories: %s is %s', (path, here) => {
    const nfsPaths = [{ from: '/export', to: '/replica' }];
    expect(mappedVolume({ nfs: { server: 's', path } }, { nfsPaths }).nfs?.path).toBe(here);
  });

  test.each([
    ['ebs.csi', 'vol-1', 'dr.csi', 'vol-9'],
    ['ebs.csi.aws', 'vol-1#a', 'dr.csi.aws', 'vol-9#a'],
    ['ebs.csix', 'vol-10', 'ebs.csix', 'vol-10'],
  ])('is a driver and a handle by whole words: %s %s is %s %s', (driver, volumeHandle, driverHere, handleHere) => {
    const csiDrivers = [{ from: 'ebs.csi', to: 'dr.csi' }];
    const csiVolumeHandles = [{ from: 'vol-1', to: 'vol-9' }];
    expect(mappedVolume({ csi: { driver, volumeHandle } }, { csiDrivers, csiVolumeHandles }).csi).toEqual({
      driver: driverHere,
      volumeHandle: handleHere,
    });
  });
});
