import { mount } from "svelte";
import { settingsBackend } from "../backend";
import "../parts/contextmenu";
import "../style/base.css";
import "../style/settings.css";
import Root from "./Root.svelte";

const target = document.getElementById("page");
if (target) mount(Root, { target, props: { backend: await settingsBackend() } });
