import { mount } from "svelte";
import { outputBackend } from "../backend";
import "../parts/contextmenu";
import "../style/base.css";
import "../style/settings.css";
import Output from "./Output.svelte";

const target = document.getElementById("page");
if (target) mount(Output, { target, props: { backend: await outputBackend() } });
