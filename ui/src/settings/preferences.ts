import { mount } from "svelte";
import { settingsBackend } from "../backend";
import "../parts/contextmenu";
import "../style/base.css";
import "../style/settings.css";
import SettingsWindow from "./SettingsWindow.svelte";

const target = document.getElementById("page");
if (target) mount(SettingsWindow, { target, props: { backend: await settingsBackend() } });
