export type NextHopOrder = 'descending-node-id' | 'ascending-node-id';
