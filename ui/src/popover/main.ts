import { mount } from "svelte";
import { popoverBackend } from "../backend";
import "../parts/contextmenu";
import "../style/base.css";
import Popover from "./Popover.svelte";

const target = document.getElementById("page");
if (target) mount(Popover, { target, props: { backend: await popoverBackend() } });
