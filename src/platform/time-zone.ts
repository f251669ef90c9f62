/** Maps time zones to their current names, which every database knows with their summer time. */
import { entryOf } from "./entry-of.ts";

/** Names that Unicode, and so `Intl`, has kept after they were replaced. A PostgreSQL with the tables of Debian 13 lacks them. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** Abbreviations that the database reads as a fixed offset, also in summer, before it looks for a zone of that name. */
const ABBREVIATED: Readonly<Record<string, string>> = {
  CET: "Europe/Brussels",
  EET: "Europe/Athens",
  MET: "Europe/Brussels",
  WET: "Europe/Lisbon",
};

/** Returns the database's name of a zone that people or `Intl` name; any other text is returned as it is. */
export function zoneOfDatabase(name: string): string {
  return entryOf(RENAMED, name) ?? entryOf(ABBREVIATED, name) ?? name;
}
