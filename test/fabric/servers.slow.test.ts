// Servers are servers in every family: what servers.test.ts asks of two types of GPUs, of two more.

import { it } from 'vitest';
import { expectSameTimes } from '../support/within-server.js';

it.each(['A100', 'MI300X'])('a server of eight %s reduces in the same time in all families', expectSameTimes);
