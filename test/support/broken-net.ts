// Texts of ibnetdiscover with cables that are gone, slower ones, and hosts that were plugged in elsewhere.

import type { RandomStream } from '../../src/base/random.js';

/** Nodes as blocks of lines, by their names; ports by `node:number`. */
class NetText {
  private readonly blocks: string[];

  constructor(text: string) {
    // room for cables that are put elsewhere
    this.blocks = text.replace(/^Switch\t\d+/gm, 'Switch\t60').split('\n\n');
  }

  get text(): string {
    return this.blocks.join('\n\n');
  }

  /** Cables as their two ends, the one in the file first; of switches alone, or of hosts. */
  cables(ofHosts: boolean): (readonly [string, string])[] {
    return this.blocks.flatMap((block) => {
      const own = this.nameOf(block);
      return [...block.matchAll(/^\[(\d+)\](?:\(\w+\))? \t"([SH]-\w+)"\[(\d+)\]/gm)].flatMap(
        ([, number, peer, there]) => {
          const ends = [`${own}:${number}`, `${peer}:${there}`] as const;
          const isHost = own.startsWith('H');
          const isWanted = ofHosts ? isHost : !isHost && peer!.startsWith('S') && ends[0] < ends[1];
          return isWanted ? [ends] : [];
        },
      );
    });
  }

  private nameOf(block: string): string {
    return /^(?:Switch|Ca)\t\d+ "([^"]+)"/m.exec(block)?.[1] ?? '';
  }

  private edit(end: string, change: (line: string) => string | null): void {
    const [node, number] = end.split(':');
    const at = this.blocks.findIndex((block) => this.nameOf(block) === node);
    this.blocks[at] = this.blocks[at]!.split('\n')
      .flatMap((line) => (line.startsWith(`[${number}]`) ? (change(line) ?? []) : line))
      .join('\n');
  }

  remove(ends: readonly [string, string]): void {
    for (const end of ends) this.edit(end, () => null);
  }

  slow(ends: readonly [string, string], rate: string): void {
    for (const end of ends) this.edit(end, (line) => line.replace(/\d+x\w+$/, rate));
  }

  /** Plugs a host into a switch at a free port. */
  plug(ends: readonly [string, string], to: string, number: number): void {
    let line = '';
    this.edit(ends[1], (own) => {
      line = own;
      return null;
    });
    this.edit(ends[0], (own) => own.replace(/"S-\w+"\[\d+\]/, `"${to}"[${number}]`));
    const at = this.blocks.findIndex((block) => this.nameOf(block) === to);
    this.blocks[at] = `${this.blocks[at]!.trimEnd()}\n${line.replace(/^\[\d+\]/, `[${number}]`)}\n`;
  }
}

/** A tree as operators have it: cables gone or of another rate, now and then a host on a switch above the leaves. */
export function brokenNet(whole: string, random: RandomStream): string {
  const net = new NetText(whole);
  const between = net.cables(false);
  for (const ends of between) {
    const deed = random.nextBelow(12);
    if (deed === 0) net.remove(ends);
    else if (deed <= 2) net.slow(ends, ['1xSDR', '4xDDR', '4xHDR'][random.nextBelow(3)]!);
  }
  const hosts = net.cables(true);
  if (between.length > 0 && hosts.length > 3 && random.nextBelow(3) === 0)
    net.plug(hosts[random.nextBelow(hosts.length)]!, between[random.nextBelow(between.length)]![1].split(':')[0]!, 55);
  return net.text;
}
