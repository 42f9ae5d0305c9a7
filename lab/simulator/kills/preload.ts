import { plantFaultInModule } from '../planted/plant-fault.ts';
import { getFaultParts } from './stack-faults.ts';

/** Loaded before everything else into each thread of a stack that is to have a fault. */
const name = new URL(import.meta.url).searchParams.get('fault') ?? '';
for (const piece of getFaultParts(name)) plantFaultInModule(name, piece);
