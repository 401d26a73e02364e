import { mount } from "svelte";
import { approvalBackend } from "../backend";
import "../parts/contextmenu";
import "../style/base.css";
import Approval from "./Approval.svelte";

const target = document.getElementById("page");
if (target) mount(Approval, { target, props: { backend: await approvalBackend() } });
