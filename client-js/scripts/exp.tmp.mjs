import { build } from 'esbuild'; import { minify } from 'terser'; import { gzipSync } from 'node:zlib'; import {readFileSync} from 'node:fs';
import { ownNames } from './names.mjs';
const names=ownNames();
console.log(names.length, names.join(' '));
