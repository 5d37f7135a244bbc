import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Compiling the sources at every start would cost more than everything else the stand-in does.
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/fake-agy", import.meta.url)));
const { main } = await import("./cli.ts");
flushCompileCache();
await main(process.argv.slice(2));
