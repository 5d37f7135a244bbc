import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Stripping types and compiling at every start would cost more than everything else the stand-in does; a cache saves it
// (and this file is no TypeScript so that the stripper need not even be loaded).
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/fake-agy", import.meta.url)));
const { main } = await import("./cli.ts");
flushCompileCache();
await main(process.argv.slice(2));
