# leaf-group.sh: sourced by the first process of a node with the directory of its control group, of version 2. A group that has processes may not
# let groups below it limit anything, unless it is the first of the machine: so the process leaves it for one beside those of the pods, and what
# it starts is there as well. Then all that can be limited is handed on to them.
mkdir "$1/init"
echo $$ >"$1/init/cgroup.procs"
for controller in $(cat "$1/cgroup.controllers"); do echo "+$controller" >>"$1/cgroup.subtree_control"; done
