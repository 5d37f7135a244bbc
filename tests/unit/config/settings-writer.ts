/** Run as a process of its own: writes one number setting again and again, up to 8. */
import { saveSetting } from "../../../src/config/save.ts";
import { isSettingName } from "../../../src/config/schema.ts";

const [path = "", name = ""] = process.argv.slice(2);
if (!isSettingName(name)) throw new Error(`no such setting: ${name}`);
for (let value = 1; value <= 8; value++) await saveSetting(path, name, value);
