; Installer for Windows, for one user, without administrator rights. Built by installers/build.py:
; VERSION, FOLDER (the self-contained folder) and OUT (where the installer is written) are defined.
Unicode true
!include "MUI2.nsh"
!include "FileFunc.nsh"

Name "Studio"
OutFile "${OUT}/Studio-${VERSION}-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\Studio"
InstallDirRegKey HKCU "Software\Studio" "Folder"
RequestExecutionLevel user
SetCompressor zlib

!define UNINSTALLER "uninstall-studio.exe"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Studio"
!define MUI_ICON "${OUT}/studio.ico"
!define MUI_UNICON "${OUT}/studio.ico"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${FOLDER}/licenses/README.txt"
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE RefuseForeignFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\python\pythonw.exe"
!define MUI_FINISHPAGE_RUN_PARAMETERS "-I -m studio gui"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "PortugueseBR"

LangString FOREIGN ${LANG_ENGLISH} "The folder $INSTDIR is not empty. Choose an empty folder."
LangString FOREIGN ${LANG_PORTUGUESEBR} "A pasta $INSTDIR não está vazia. Escolha uma pasta vazia."

; Installing and uninstalling delete folders with common names, such as bin: in a folder that
; belongs to Studio alone. Its uninstaller shows that an older version is there.
Function RefuseForeignFolder
  IfFileExists "$INSTDIR\${UNINSTALLER}" done
  ${DirState} "$INSTDIR" $0
  StrCmp $0 "1" 0 done
  MessageBox MB_OK|MB_ICONEXCLAMATION "$(FOREIGN)" /SD IDOK
  SetErrorLevel 2
  Abort
done:
FunctionEnd

Section "Studio"
  ; The page of the folder is not shown with /S.
  Call RefuseForeignFolder
  ; An older version goes first: files that the new one no longer has would stay.
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\bin"
  RMDir /r "$INSTDIR\licenses"
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\${UNINSTALLER}"
  File /r "${FOLDER}/*"
  File "${OUT}/studio.ico"
  CreateShortcut "$SMPROGRAMS\Studio.lnk" "$INSTDIR\python\pythonw.exe" "-I -m studio gui" "$INSTDIR\studio.ico"
  WriteRegStr HKCU "Software\Studio" "Folder" "$INSTDIR"
  ; "Open with": the program of a file type that the user has chosen stays.
  WriteRegStr HKCU "Software\Classes\Studio.KerasModel" "" "Keras model"
  WriteRegStr HKCU "Software\Classes\Studio.KerasModel\DefaultIcon" "" "$INSTDIR\studio.ico"
  WriteRegStr HKCU "Software\Classes\Studio.KerasModel\shell\open\command" "" '"$INSTDIR\python\pythonw.exe" -I -m studio gui "%1"'
  WriteRegStr HKCU "Software\Classes\.keras\OpenWithProgids" "Studio.KerasModel" ""
  WriteRegStr HKCU "Software\Classes\Directory\shell\Studio" "" "Open in Studio"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Studio" "Icon" "$INSTDIR\studio.ico"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Studio\command" "" '"$INSTDIR\python\pythonw.exe" -I -m studio gui "%1"'
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Studio"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\studio.ico"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Studio developers"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\${UNINSTALLER}"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\${UNINSTALLER}" /S'
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"
SectionEnd

Section "Uninstall"
  ; Workspaces and settings are elsewhere, and stay.
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\bin"
  RMDir /r "$INSTDIR\licenses"
  Delete "$INSTDIR\studio.ico"
  Delete "$INSTDIR\${UNINSTALLER}"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Studio.lnk"
  DeleteRegKey HKCU "Software\Studio"
  DeleteRegKey HKCU "Software\Classes\Studio.KerasModel"
  DeleteRegValue HKCU "Software\Classes\.keras\OpenWithProgids" "Studio.KerasModel"
  DeleteRegKey HKCU "Software\Classes\Directory\shell\Studio"
  DeleteRegKey HKCU "${UNINSTALL}"
SectionEnd
