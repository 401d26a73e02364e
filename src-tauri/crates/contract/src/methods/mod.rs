//! The one list of control methods: name, params, result. Host, client, terminal and window all read it from here.

mod audit;
mod doors;
mod errors;
mod feed;
mod fleet;
mod fleet_members;
mod insights;
mod params;
mod policy;
mod results;
mod setup;

// All public types of these modules are the contract's.
pub use audit::*;
pub use doors::*;
pub use errors::*;
pub use feed::*;
pub use fleet::*;
pub use fleet_members::*;
pub use insights::*;
pub use params::*;
pub use policy::*;
pub use results::*;
pub use setup::*;

use crate::{
    AgentRow, AnswerParams, Answered, EditParams, Edited, Question, RequestDetail, RuleDraft, RuleRow, Status,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ts_rs::TS;

/// A control method: what it takes and what it gives.
pub trait Method: Send + Sync + 'static {
    /// Name on the control socket.
    const NAME: &'static str;
    /// Parameters. Unknown fields are refused.
    type Params: Serialize + DeserializeOwned + TS + Clone + Send + Sync + 'static;
    /// Result.
    type Result: Serialize + DeserializeOwned + TS + Send + 'static;
}

/// The params and the result of one method, for the window's typed calls.
#[derive(TS)]
#[expect(dead_code, reason = "only its TypeScript is used")]
pub struct Call<P: TS, R: TS> {
    params: P,
    result: R,
}

/// Gives the whole list of methods to the macro `$each`, which gets `Marker "name" field (Params) -> Result;` for each.
///
/// A host hands in a macro that calls its handlers, so that a method without a handler does not compile.
#[macro_export]
macro_rules! with_methods {
    ($each:ident) => {
        $each! {
            /// The state of the whole.
            GetStatus "status" status (Nothing) -> Status;
            /// Deny everything for a while, or until resumed.
            PauseAll "pause" pause (Pause) -> Status;
            /// Decide again.
            ResumeAll "resume" resume (Nothing) -> Status;
            /// List the questions that wait for a person, oldest first.
            ListQuestions "questions.list" questions_list (Nothing) -> Questions;
            /// List the questions, then send `question.*` and `status.changed` on this connection, which
            /// counts as a connected approver meanwhile.
            WatchQuestions "questions.watch" questions_watch (QuestionsWatch) -> Questions;
            /// Return a question by its id or code.
            GetQuestion "questions.get" questions_get (QuestionRef) -> Question;
            /// Report the part of a question that a window shows: drives arming. Sent on every change
            /// (moved, resized, focus, content).
            PresentQuestion "questions.presented" questions_presented (Presented) -> Arming;
            /// A face cannot show a question: if nobody answers, nothing runs.
            CannotPresent "questions.cannotPresent" questions_cannot_present (Unpresented) -> Applied;
            /// Keep a question for later: it waits for up to half an hour after it was asked, and then is denied.
            PutOffQuestion "questions.later" questions_later (QuestionRef) -> Applied;
            /// Return the whole text of a script that a question shows, where the file is still what it was.
            GetScript "questions.script" questions_script (ScriptRef) -> ScriptText;
            /// Answer a question.
            AnswerQuestion "questions.answer" questions_answer (AnswerParams) -> Answered;
            /// Return what an answer of *always* would save, what it adds to its offer, and what it would have matched. Nothing is saved.
            PreviewAnswer "questions.preview" questions_preview (AnswerParams) -> RulePreview;
            /// Show another command instead of the one that was asked for. It is judged again and answered like any other.
            EditQuestion "questions.edit" questions_edit (EditParams) -> Edited;
            /// Every agent, by name.
            ListAgents "agents.list" agents_list (Nothing) -> Agents;
            /// Return an agent.
            GetAgent "agents.get" agents_get (AgentRef) -> AgentRow;
            /// Enrol an agent: its folder, its key, its channel.
            AddAgent "agents.add" agents_add (AgentAdd) -> AgentRow;
            /// Change an agent.
            SetAgent "agents.set" agents_set (AgentSet) -> AgentRow;
            /// Remove an agent, its key, its channel and its rules. Its history stays.
            RemoveAgent "agents.remove" agents_remove (AgentRef) -> Applied;
            /// Give an agent a new key; what is connected with the old one is cut off.
            RotateKey "agents.rotateKey" agents_rotate_key (AgentRef) -> AgentRow;
            /// Run a harmless command through an agent's own channel, as the agent would: it is judged, and asked, like
            /// any other.
            TestAgent "agents.test" agents_test (AgentRef) -> Submitted;
            /// List the connections to the agents' channels, and the approvers that can show a question.
            ListDoors "doors.list" doors_list (Nothing) -> Doors;
            /// The exact lines that put an agent's channel into its sandbox.
            GetChannel "agents.channel" agents_channel (ChannelAsk) -> ChannelLines;
            /// Write into the audit that a coding agent's settings have the hook now, or have it no more.
            NoteHook "hooks.note" hooks_note (HookNote) -> Applied;
            /// Rules from every source: the store, `permissions.jsonc`, managed ones.
            ListRules "rules.list" rules_list (RuleFilter) -> Rules;
            /// Add a rule.
            AddRule "rules.add" rules_add (RuleDraft) -> RuleRow;
            /// Write a rule again; its usage stays.
            UpdateRule "rules.update" rules_update (RuleUpdate) -> RuleRow;
            /// Remove a rule.
            RemoveRule "rules.remove" rules_remove (RuleNumber) -> Applied;
            /// Rules as a file.
            ExportRules "rules.export" rules_export (RuleFilter) -> RuleFile;
            /// A part of a file of rules that is too long for one call; `rules.import` or `policy.replay` takes it up.
            StageRules "rules.stage" rules_stage (RulesPart) -> RulesBatch;
            /// Rules from a file: all of them, or, where some are refused, none. Each that is refused is named.
            ImportRules "rules.import" rules_import (RulesImport) -> RulesImported;
            /// Write and remove rules at once: undo, redo, clean up.
            PutRules "rules.put" rules_put (RulesPut) -> Rules;
            /// Bind rules that were renewed to what they were bound to before.
            UndoRenewal "rules.undoRenewal" rules_undo_renewal (RenewalEntry) -> Rules;
            /// Return what a rule would match, and its problems, before it is saved.
            PreviewRule "rules.preview" rules_preview (RuleDraft) -> RulePreview;
            /// Check the saved rules for problems. Changes nothing.
            LintPolicy "policy.lint" policy_lint (Lint) -> Linted;
            /// Judge recorded requests by other rules. Changes nothing.
            ReplayPolicy "policy.replay" policy_replay (Replay) -> Replayed;
            /// An agent's `permissions.jsonc`.
            GetPermissions "permissions.get" permissions_get (AgentRef) -> Permissions;
            /// Write an agent's `permissions.jsonc`. A text that cannot be read is refused and says where.
            SetPermissions "permissions.set" permissions_set (PermissionsSet) -> Permissions;
            /// The sessions that agents have open, with their layers.
            ListSessions "sessions.list" sessions_list (SessionFilter) -> Sessions;
            /// Close a session: what waits in it is denied, its layers and the rules that last until then go.
            CloseSession "sessions.close" sessions_close (SessionName) -> SessionClosed;
            /// Skill folders, skills and their CLIs.
            ListSkills "skills.list" skills_list (Nothing) -> Skills;
            /// Watch a folder of skills.
            AddSkillFolder "skills.addFolder" skills_add_folder (SkillFolder) -> Skills;
            /// Watch it no longer; rules of its skills go.
            RemoveSkillFolder "skills.removeFolder" skills_remove_folder (SkillFolder) -> Skills;
            /// Approve a skill's CLIs as they are now.
            ApproveSkill "skills.approve" skills_approve (SkillApprove) -> Skills;
            /// Requests, newest first, a page at a time.
            ListRequests "requests.list" requests_list (RequestFilter) -> Requests;
            /// Find the newest requests that printed a text. Only this computer's, in its newest output.
            FindOutput "requests.findOutput" requests_find_output (OutputSearch) -> Requests;
            /// Return a request in full.
            GetRequest "requests.get" requests_get (RequestAsk) -> RequestDetail;
            /// Ask for the same again, on the agent's own channel and under a new number. It is judged again.
            RequestAgain "requests.again" requests_again (RequestNumber) -> Submitted;
            /// Return rules that would let a request through from now on.
            OfferRules "requests.offers" requests_offers (RequestNumber) -> RuleOffers;
            /// Return counts of requests, by day and by rule.
            GetInsights "insights.get" insights_get (InsightsAsk) -> Insights;
            /// Suggest rules that would spare questions.
            SuggestRules "insights.suggest" insights_suggest (InsightsAsk) -> Suggestions;
            /// The newest requests, then `request.changed` on this connection.
            WatchRequests "requests.watch" requests_watch (RequestsWatch) -> Requests;
            /// Return the events after a position in the feed; waits a while if there are none yet.
            NextEvents "events.next" events_next (FeedAsk) -> FeedPage;
            /// End a running request, or deny one that waits.
            KillRequest "requests.kill" requests_kill (RequestKill) -> Applied;
            /// The verdict on a command with its whole trace. Runs nothing, writes nothing.
            ExplainCommand "explain" explain (Explain) -> Explained;
            /// The verdict on a use of an agent's own tool with its whole trace. Asks nobody, writes nothing.
            ExplainTool "tool.explain" tool_explain (ToolExplain) -> ToolExplained;
            /// Return the settings of the host.
            GetSettings "settings.get" settings_get (Nothing) -> HostSettings;
            /// Change what holds for the whole.
            SetSettings "settings.set" settings_set (HostSettings) -> HostSettings;
            /// Every change to what may run, and the verification of their record.
            ReadAudit "audit" audit (AuditAsk) -> Audit;
            /// Return the amount of data that is kept on this computer.
            GetDataUse "data.use" data_use (Nothing) -> DataUse;
            /// Erase the history: every request that has ended, its output, its question, its events. Rules, agents and settings stay.
            EraseHistory "data.eraseHistory" data_erase_history (Nothing) -> DataUse;
            /// Tool calls that wait for a person.
            PendingTools "tool.pending" tool_pending (Nothing) -> ToolQuestions;
            /// Approve a tool call.
            ApproveTool "tool.approve" tool_approve (ToolApprove) -> Applied;
            /// Deny a tool call.
            DenyTool "tool.deny" tool_deny (ToolDeny) -> Applied;
            /// Open a door, or change an open one.
            EnableDoor "doors.enable" doors_enable (DoorEnable) -> DoorRow;
            /// Close a door and cut off everybody at it. Its settings and its clients stay for the next time.
            DisableDoor "doors.disable" doors_disable (DoorRef) -> DoorRow;
            /// Return the settings for the other side of an open door. For `websocket`, a new pairing code.
            SetUpDoor "doors.setup" doors_setup (DoorRef) -> DoorSetup;
            /// Forget a client of a door and cut it off.
            RevokeClient "doors.revoke" doors_revoke (PairedClientRef) -> DoorRow;
            /// List the other Macs of the fleet that this Mac's person answers for; none while its door is closed.
            ListFleetHosts "fleet.hosts" fleet_hosts (Nothing) -> FleetHosts;
            /// Read requests of another Mac, if its person allowed that. They come from there each time.
            ListHostRequests "fleet.requests" fleet_requests (HostRequests) -> Requests;
            /// Read rules of another Mac, if its person allowed that.
            ListHostRules "fleet.rules" fleet_rules (HostRules) -> Rules;
            /// Read counts of another Mac's requests, if its person allowed that.
            GetHostInsights "fleet.insights" fleet_insights (HostInsights) -> Insights;
            /// Return the fleet that this Mac is in, and a device that joins.
            GetFleet "fleet.get" fleet_get (Nothing) -> FleetOverview;
            /// Plan a fleet of this Mac alone, and show the files of its broker. Nothing is written.
            PlanFleet "fleet.plan" fleet_plan (FleetStart) -> FleetPlan;
            /// Start the fleet that was planned: write its files, as shown, and open its door.
            StartFleet "fleet.start" fleet_start (FleetPlanRef) -> FleetOverview;
            /// Invite a Mac: make a code, and wait for who comes with it.
            InviteMember "fleet.invite" fleet_invite (FleetInvite) -> FleetOverview;
            /// Join a fleet with a code, as far as the digits that are compared.
            JoinFleet "fleet.join" fleet_join (FleetJoin) -> FleetOverview;
            /// Accept the Mac whose digits are named, or end an invitation or a joining.
            PairMember "fleet.pair" fleet_pair (FleetPair) -> FleetOverview;
            /// Change what a member may do, as of the next roster. The roster stays if the member may do that already.
            ChangeMember "fleet.change" fleet_change (FleetMemberChange) -> FleetOverview;
            /// Remove a member; its answers and its connection end at once.
            RevokeMember "fleet.revoke" fleet_revoke (FleetMemberRef) -> FleetOverview;
            /// Read the changes of the fleet that wait for signatures from its broker.
            ReadProposals "fleet.proposals" fleet_proposals (Nothing) -> FleetOverview;
            /// Judge the history of a group's hosts by a policy that waits for signatures.
            ReplayProposal "fleet.replay" fleet_replay (ProposedChangeRef) -> ChangeReplay;
            /// Sign a change as it was shown. It counts with the last signature.
            SignProposal "fleet.sign" fleet_sign (ProposedChangeRef) -> FleetOverview;
            /// Withdraw a change that waits for signatures.
            WithdrawProposal "fleet.withdraw" fleet_withdraw (ProposedChangeRef) -> FleetOverview;
            /// Leave the fleet: close its door, and forget its keys here.
            LeaveFleet "fleet.leave" fleet_leave (Nothing) -> FleetOverview;
            /// Block all agents of hosts of the fleet, or let them work again.
            BlockHosts "fleet.block" fleet_block (FleetBlock) -> FleetBlocked;
            /// Find the agents of this computer, whether they ask Postern, and their files with rules.
            FindAgents "setup.find" setup_find (SetupScope) -> SetupFound;
            /// Show what connecting or disconnecting an agent would change in its settings.
            PreviewSetup "setup.preview" setup_preview (SetupPreview) -> SettingsChange;
            /// Read where the user's shell finds programs, and remember it.
            ReadShellPath "setup.path" setup_path (SetupScope) -> ShellPath;
            /// Connect an agent: enroll it, and change its settings as shown.
            ConnectAgent "setup.connect" setup_connect (SetupConnect) -> SetupConnected;
            /// Disconnect an agent: take back what connecting it did.
            DisconnectAgent "setup.disconnect" setup_disconnect (SetupDisconnect) -> SetupDisconnected;
            /// Import the rules of an agent's own files.
            ImportAgentRules "setup.import" setup_import (SetupImport) -> Imported;
            /// Start a test of an agent's way to Postern.
            StartTest "setup.test" setup_test (SetupTest) -> SetupTestRef;
            /// Tell how a test stands.
            GetTest "setup.tested" setup_tested (SetupTestRef) -> SetupTested;
        }
    };
}

macro_rules! declare {
    ($($(#[$doc:meta])+ $marker:ident $name:literal $field:ident ($params:ty) -> $result:ty;)+) => {
        $(
            $(#[$doc])+
            #[derive(Debug, Clone, Copy)]
            pub struct $marker;

            impl Method for $marker {
                const NAME: &'static str = $name;
                type Params = $params;
                type Result = $result;
            }
        )+

        /// The names of all methods, in the order of the list.
        pub const METHODS: &[&str] = &[$($name),+];

        /// Every control method with what it takes and gives, keyed by its name.
        #[derive(TS)]
        #[expect(dead_code, reason = "only its TypeScript is used")]
        pub struct ControlMethods {
            $(
                $(#[$doc])+
                #[ts(rename = $name)]
                $field: Call<$params, $result>,
            )+
        }
    };
}
with_methods!(declare);

#[cfg(test)]
mod tests {
    use super::{AgentSet, METHODS, RequestFilter};
    use std::collections::BTreeSet;

    #[test]
    fn a_name_is_written_once() {
        let names: BTreeSet<_> = METHODS.iter().collect();
        assert_eq!(names.len(), METHODS.len(), "two methods of one name");
    }

    #[test]
    fn unknown_fields_are_refused() {
        let typo = serde_json::from_str::<AgentSet>(r#"{"agent":"main","value":{}}"#);
        assert!(typo.is_err(), "a misspelt field must not pass as an empty change");
        let all = serde_json::from_str::<RequestFilter>("{}").unwrap();
        assert_eq!(all, RequestFilter::default(), "every filter may be left out");
    }
}
